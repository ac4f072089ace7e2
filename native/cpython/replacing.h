/* A program that replaces itself by another (exec). */
#ifndef SONDE_REPLACING_H
#define SONDE_REPLACING_H

void sn_replacing_init(void); /* from here on, a program that replaces itself says so in the spool */

#endif
