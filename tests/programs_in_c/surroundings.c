// Prints everything about its process that whoever starts it decides.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <locale.h>
#include <signal.h>
#include <fcntl.h>
#include <errno.h>
#include <unistd.h>
#include <sys/resource.h>
extern char **environ;
int main(int argc,char**argv,char**envp){
 printf("argc %d errno %d env-same %d\n",argc,errno,envp==environ);
 for(int i=0;i<argc;i++) printf("arg %s\n",argv[i]);
 printf("null %d\n",argv[argc]==NULL);
 printf("locale %s\n",setlocale(LC_ALL,NULL));
 // Those of crashes are the handlers that note where it was; they are allowed.
 for(int s=1;s<65;s++){ struct sigaction a; if(sigaction(s,NULL,&a)==0 && a.sa_handler!=SIG_DFL && s!=SIGSEGV&&s!=SIGBUS&&s!=SIGILL&&s!=SIGFPE) printf("signal %d %s\n",s,a.sa_handler==SIG_IGN?"ignored":"handled"); }
 sigset_t m; sigprocmask(SIG_BLOCK,NULL,&m); for(int s=1;s<65;s++) if(sigismember(&m,s)) printf("blocked %d\n",s);
 for(int f=0;f<64;f++) if(fcntl(f,F_GETFD)>=0) printf("fd %d\n",f);
 printf("open %d\n",open("/dev/null",O_RDONLY));
 struct rlimit r; getrlimit(RLIMIT_STACK,&r); printf("stack %lu\n",(unsigned long)r.rlim_cur); getrlimit(RLIMIT_CORE,&r); printf("core %lu\n",(unsigned long)r.rlim_cur);
 int n=0; for(char**e=environ;*e;e++) if(strncmp(*e,"_=",2)) n++, puts(*e); 
 char cwd[999]; puts(getcwd(cwd,999)); printf("isatty %d%d%d x\n",isatty(0),isatty(1),isatty(2));
 int c; while((c=getchar())!=EOF) putchar(c);
 fprintf(stderr,"err\n"); argv[0][0]='Z'; return 300; }
