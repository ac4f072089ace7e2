create table if not exists person(id integer primary key, name text not null, born date, boss references person);
begin;
insert into person values (1,'Ada','1815-12-10',null),(2,'Grace','1906-12-09',1),(3,'Edsger','1930-05-11',2),(4,'Barbara','1939-11-07',2);
commit;
.headers on
.mode column
select p.name, b.name as boss from person p left join person b on p.boss = b.id order by p.id;
with recursive chain(id, depth) as (select 1, 0 union all select p.id, depth + 1 from person p join chain c on p.boss = c.id)
  select depth, count(*) from chain group by depth;
select name, rank() over (order by born) as age, sum(id) over (rows between 1 preceding and current row) as running from person;
.mode json
select json_group_array(json_object('n', name)) as people from person where name like '%a%';
.mode list
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
  select count(*), sum(i), avg(i * 0.5), max(hex(i)), total(length(printf('%08.3f', i / 7.0))) from n;
create table words(w text collate nocase);
with recursive n(i) as (select 0 union all select i + 1 from n where i < 2999) insert into words select printf('w%d', (i * 7919) % 3001) from n;
create index word_index on words(w);
explain query plan select * from words where w = 'W17';
select count(*) from words where w between 'w1' and 'w2'; select w from words order by w desc limit 3;
update words set w = upper(w) where rowid % 2; delete from words where rowid % 3 = 0; vacuum;
select count(distinct w), min(w), max(w) from words; pragma integrity_check;
savepoint s; drop table words; rollback to s; release s; select count(*) from words;
select strftime('%Y-%j', '2024-02-29', '+1 year'), round(2.5), 1 / 0, cast('12abc' as int), typeof(1e3), quote(x'00ff'), instr('abc', 'c');
create view v as select * from person; create trigger t instead of delete on v begin select raise(abort, 'not that way'); end;
delete from v;
insert into person(id, name) values (1, 'twice');
select * from no_such_table;
.dump person
