-- The error that a statement ends in, behind it the statement; one pair a line, parted by a bar.
ForbiddenStatement | select java_method('java.lang.Runtime', 'getRuntime')
ForbiddenStatement | select `java_method`('java.lang.Runtime', 'getRuntime')
ForbiddenStatement | select `JAVA_Method`/* x */('a')
ForbiddenStatement | select reflect('a', 'b')
ForbiddenStatement | select try_reflect('a', 'b')
ForbiddenStatement | select system.builtin.reflect('a', 'b')
ForbiddenStatement | select system.session.f(1)
ForbiddenStatement | select input_file_name() from db.t
InvalidValue | select current_user(1)
InvalidValue | create table db.t (a string default current_user())
InvalidValue | alter table db.t alter column a set default current_catalog()
ForbiddenStatement | select table_changes('db.t', 1)
InvalidValue | select * from table_changes('db.t')
InvalidValue | select * from table_changes('db.t', 1 + 1)
InvalidValue | select * from table_difference('db.t', 1)
ForbiddenStatement | select * from table_changes('parquet.`/etc/passwd`', 1)
ForbiddenStatement | select current_user
ForbiddenStatement | select `session_user`
ForbiddenStatement | select version()
ForbiddenStatement | select from_xml('<a/>', 'a int', map('rowValidationXSDPath', '/etc/passwd'))
ForbiddenStatement | select from_protobuf(a, 'x', '/etc/x.desc') from db.t
ForbiddenStatement | select no_such_function(1)
ForbiddenStatement | select * from db.t where a = (select max(reflect('a')) from db.u)
ForbiddenStatement | with a as (select reflect('a', 'b')) select * from a
ForbiddenStatement | select * from db.t order by reflect('a', 'b')
ForbiddenStatement | select sum(a) over (partition by reflect('a', 'b')) from db.t
ForbiddenStatement | select transform(a, x -> reflect(x, 'b')) from db.t
ForbiddenStatement | select * from db.t lateral view reflect('a') e as x
ForbiddenStatement | select * from read_files('/etc')
ForbiddenStatement | select * from python_worker_logs()
ForbiddenStatement | select * from parquet.`/etc/passwd`
ForbiddenStatement | select * from csv.`file:///etc/passwd`
ForbiddenStatement | select * from text.`x.txt`
ForbiddenStatement | select * from c.JSON.`/x`
ForbiddenStatement | select * from binaryFile.`/x`
ForbiddenStatement | select * from delta.`/x` version as of 1
ForbiddenStatement | select * from db.`/x`
SyntaxProblem | select * from 'a/b.csv'
SyntaxProblem | select * from "d"."t"
SyntaxProblem | select * from d."t" as x
SyntaxProblem | select a as "b" from d.t
SyntaxProblem | select * from d.t as 'x'
SyntaxProblem | with "c" as (select 1) select * from c
ForbiddenStatement | select * from identifier('db.t')
ForbiddenStatement | select identifier('a') from db.t
ForbiddenStatement | drop table identifier('db.t')
ForbiddenStatement | insert into parquet.`/x` values (1)
ForbiddenStatement | delete from csv.`/x`
InvalidValue | select :x
InvalidValue | select ?
ForbiddenStatement | select ${x}
ForbiddenStatement | select @x
ForbiddenStatement | select * into x from db.t
ForbiddenStatement | select * from db.t for update
ForbiddenStatement | select * from `__lake_0`
ForbiddenStatement | select __LAKE_0.a from db.t
ForbiddenStatement | select a as __lake_1 from db.t
ForbiddenStatement | select transform(a) using 'cat' from db.t
ForbiddenStatement | select transform (a, b) using 'sh -c "id"' as (x) from db.t
ForbiddenStatement | from db.t map a using 'cat'
ForbiddenStatement | set spark.sql.ansi.enabled = false
ForbiddenStatement | SeT
ForbiddenStatement | /* SELECT */ reset
ForbiddenStatement | add jar '/x.jar'
ForbiddenStatement | add file '/etc/passwd'
ForbiddenStatement | list jars
ForbiddenStatement | create function f as 'a.b.C'
ForbiddenStatement | create temporary function f as 'a.b.C'
NotSupported | create or replace global temporary view v as select 1
ForbiddenStatement | create temporary view v using csv options (path '/etc/passwd')
ForbiddenStatement | create external table db.t (a int)
ForbiddenStatement | create table db.t (a int) location '/x'
ForbiddenStatement | create table db.t (a int) using parquet options (path '/x')
ForbiddenStatement | alter table db.t set location '/x'
ForbiddenStatement | alter table db.t add partition (a = 1) location '/x'
ForbiddenStatement | load data inpath '/x' into table db.t
NotSupported | cache table db.t
NotSupported | cache lazy table v as select 1
ForbiddenStatement | cache 'x'
ForbiddenStatement | refresh '/x'
NotSupported | refresh table db.t
ForbiddenStatement | insert overwrite directory '/x' select 1
ForbiddenStatement | insert overwrite local directory '/x' select 1
ForbiddenStatement | execute immediate 'select 1'
ForbiddenStatement | declare x int
ForbiddenStatement | call f()
ForbiddenStatement | if true then select 1
ForbiddenStatement | delete from db.t where rand() < 0.5
ForbiddenStatement | update db.t set a = 1 where uuid() = b
ForbiddenStatement | create table db.t (a int default rand())
ForbiddenStatement | create table db.t (a int default reflect('a', 'b'))
ForbiddenStatement | insert into db.t values (reflect('a', 'b'))
ForbiddenStatement | update db.t set a = reflect('a', 'b')
ForbiddenStatement | create view db.v as select reflect('a', 'b')
ForbiddenStatement | select * from a.b.c.d
ForbiddenStatement | select a at time zone 'UTC' from db.t
InvalidValue | restore merge 3
InvalidValue | restore merge 'x'
SyntaxProblem | restore table db.t
SyntaxProblem | restore table db.t to version 3
InvalidValue | restore table db.`t@dev` to version as of 3
SyntaxProblem | restore function f
SyntaxProblem | undrop db.t
SyntaxProblem | show changes db.t from 1 to 2
NotSupported | vacuum db.t retain 7 hours
InvalidValue | vacuum db.`t@dev`
SyntaxProblem | begin; select 1
SyntaxProblem | undrop table db.t with id
SyntaxProblem | create tag
NotSupported | explain cost select 1
NotSupported | create table db.t (a int) using csv
NotSupported | create table db.t (a int) partitioned by (weeks(a))
NotSupported | alter table db.t add partition field a
NotSupported | alter table db.t add partition field bucket(4, a) as x
InvalidValue | alter table db.t add partition field bucket(a)
NotSupported | create table db.t (a int, foreign key (a) references db.u)
NotSupported | alter table db.t add column a.b int not null
NotSupported | alter table db.t alter column a.b set default 1
InvalidValue | update db.t set a.b = 1, a = null
InvalidValue | select * from t
InvalidValue | with t as (select * from t) select * from t
InvalidValue | select * from (with a as (select 1) select * from a) x, a
InvalidValue | drop table t
InvalidValue | insert into t values (1)
InvalidValue | select * from db.`t@`
InvalidValue | select * from db.`@dev`
InvalidValue | delete from db.`t@dev`
InvalidValue | select * from db.t version as of 'x'
InvalidValue | select * from db.t timestamp as of current_timestamp() - interval 1 month
InvalidValue | create table db.t (a interval)
InvalidValue | create table db.t (a variant)
InvalidValue | create table db.t (a decimal(40, 2))
InvalidValue | create table db.t (a decimal(3, 4))
InvalidValue | create table db.t (a int, A string)
InvalidValue | create table db.t (a int, primary key (b))
InvalidValue | create table db.t (a int) partitioned by (b)
InvalidValue | create table db.t (a int default b)
InvalidValue | create table db.t (a int primary key, b int primary key)
InvalidValue | update db.t set a = 1, A = 2
InvalidValue | alter table db.t set tblproperties ('a' = '1', 'a' = '2')
InvalidValue | insert into db.t (a, A) values (1, 2)
SyntaxProblem | selec 1
SyntaxProblem | select
SyntaxProblem | select 1 select 2
SyntaxProblem | select 1; select 2
SyntaxProblem | select 1; drop table db.t
SyntaxProblem | select 'a
SyntaxProblem | select `a
SyntaxProblem | /* select 1
SyntaxProblem | /* /* */ select 1
SyntaxProblem | ;
SyntaxProblem | create branch feature/x
SyntaxProblem | create table db.t
SyntaxProblem | show tables db
SyntaxProblem | delete from db.t where
SyntaxProblem | update db.t where a = 1
SyntaxProblem | alter table db.t alter column a
SyntaxProblem | merge branch
ForbiddenStatement | merge into db.t using parquet.`/x` on true when matched then delete
ForbiddenStatement | merge into db.t using (select reflect('a', 'b')) s on true when matched then delete
ForbiddenStatement | merge into db.t using db.s on t.a = reflect('a', 'b') when matched then delete
ForbiddenStatement | merge into db.t using db.s on t.a = s.a when matched and rand() < 0.5 then delete
ForbiddenStatement | merge into db.t using db.s on t.a = s.a when matched then update set a = java_method('a', 'b')
ForbiddenStatement | merge into db.t using db.s on t.a = s.a when not matched then insert (a) values (reflect('a', 'b'))
ForbiddenStatement | merge into db.t using db.s on t.a = s.a when matched then update set a = __lake_number
NotSupported | merge into db.t using db.s on t.a = s.a when matched and s.a > (select max(a) from db.u) then delete
NotSupported | merge into db.t using db.s on t.a = s.a when matched then update set a = max(s.a)
NotSupported | merge into db.t using db.s on t.a = s.a when matched then update set a = row_number() over (order by s.a)
InvalidValue | merge into db.t using db.s on t.a = s.a when matched then update set t.a.b = 1, a.b.c = 2
NotSupported | merge into db.t using db.s on t.a = s.a when not matched then insert (a.b) values (1)
InvalidValue | merge into db.t using db.s on t.a = s.a when matched then update set a = 1, A = 2
InvalidValue | merge into db.t using db.s on t.a = s.a when not matched by source and s.a = 1 then delete
InvalidValue | merge into db.t using db.`t@dev` on true when matched then delete
InvalidValue | merge into db.`t@dev` using db.s on true when matched then delete
SyntaxProblem | merge into db.t using db.s on t.a = s.a
SyntaxProblem | merge into db.t using db.s when matched then delete
SyntaxProblem | merge into db.t on true when matched then delete
SyntaxProblem | merge into db.t using db.s on t.a = s.a when matched then insert *
SyntaxProblem | merge into db.t using db.s on t.a = s.a when not matched then delete
SyntaxProblem | merge into db.t using db.s on t.a = s.a when not matched by source then update set *
SyntaxProblem | merge into db.t using db.s on t.a = s.a when not matched then insert (a, b) values (1)
SyntaxProblem | merge into db.t using db.s on t.a = s.a when matched then delete when matched and s.b then delete
SyntaxProblem | merge into db.t using db.s on t.a = s.a when matched and then delete
SyntaxProblem | merge into db.t using db.s on t.a = s.a when matched then update set
SyntaxProblem | merge into db.t using db.s on t.a = s.a when matched then delete whatever
NotSupported | delete from db.t where a in (select b from db.u limit 1)
NotSupported | delete from db.t where a = max(b)
NotSupported | insert into db.t replace where a in (select b from db.u) select 1
NotSupported | insert into db.t replace on a = b select 1
ForbiddenStatement | with a as (select reflect('x', 'y')) insert into db.t select * from a
ForbiddenStatement | delete from db.t where a in (select b from csv.`/x`)
ForbiddenStatement | update db.t set a = (select max(reflect('x', 'y')) from db.u)
ForbiddenStatement | delete from db.t where exists (select 1 from `__lake_0`)
