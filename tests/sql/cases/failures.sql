-- What each kind of statement is refused for: code | session | what the error must mention, parted by ; | statement.
-- Sessions: main, dev and other branches by name; transaction: one open on main; none: no catalog chosen. Headings are
-- the kinds of lakeui/sql/statements. What is in braces, the test made.
-- Names of tables and databases that are wrong are tried on every statement by test_failures.py.
# CreateCatalog
ALREADY_EXISTS | none | catalog named {lake} | CREATE CATALOG {lake}
SYNTAX_ERROR | none | | CREATE CATALOG
SYNTAX_ERROR | none | COMENT | CREATE CATALOG c COMENT 'x'
NOT_SUPPORTED | transaction | transaction; COMMIT or ROLLBACK | CREATE CATALOG elsewhere
# DropCatalog
NOT_FOUND | none | catalog nowhere; SHOW CATALOGS | DROP CATALOG nowhere
NOT_FOUND | none | Did you mean {lake} | DROP CATALOG {lake}x
SYNTAX_ERROR | none | CASCADE | DROP CATALOG nowhere CASCADE
NOT_SUPPORTED | transaction | transaction | DROP CATALOG {lake}
# RenameCatalog
NOT_FOUND | none | catalog nowhere | ALTER CATALOG nowhere RENAME TO x
ALREADY_EXISTS | none | catalog named {other} | ALTER CATALOG {lake} RENAME TO {other}
INVALID_VALUE | none | name of a catalog | ALTER CATALOG {lake} RENAME TO ` x`
SYNTAX_ERROR | none | new name | ALTER CATALOG {lake} RENAME TO
NOT_SUPPORTED | transaction | transaction | ALTER CATALOG {lake} RENAME TO x
# UndropCatalog
NOT_FOUND | none | dropped catalog nowhere | UNDROP CATALOG nowhere
NOT_FOUND | none | dropped catalog {lake} | UNDROP CATALOG {lake} WITH ID '7'
SYNTAX_ERROR | none | id in quotes | UNDROP CATALOG nowhere WITH ID
NOT_SUPPORTED | transaction | transaction | UNDROP CATALOG nowhere
# ShowDroppedCatalogs
SYNTAX_ERROR | none | | SHOW DROPPED CATALOGS LIKE 'x'
# SetCatalogProperties
NOT_FOUND | none | catalog nowhere | ALTER CATALOG nowhere SET PROPERTIES ('merge.conflicts' = 'file')
INVALID_VALUE | none | property merge.conflict; merge.conflicts | ALTER CATALOG {lake} SET PROPERTIES ('merge.conflict' = 'file')
INVALID_VALUE | none | merge.conflicts; rows | ALTER CATALOG {lake} SET PROPERTIES ('merge.conflicts' = 'rows')
NOT_SUPPORTED | transaction | transaction | ALTER CATALOG {lake} SET PROPERTIES ('merge.conflicts' = 'file')
SYNTAX_ERROR | none | SET PROPERTIES | ALTER CATALOG {lake} SET OWNER x
# UnsetCatalogProperties
NOT_FOUND | none | catalog nowhere | ALTER CATALOG nowhere UNSET PROPERTIES ('merge.conflicts')
INVALID_VALUE | none | property owner; merge.conflicts | ALTER CATALOG {lake} UNSET PROPERTIES ('owner')
NOT_SUPPORTED | transaction | transaction | ALTER CATALOG {lake} UNSET PROPERTIES ('merge.conflicts')
# DescribeCatalog
NOT_FOUND | none | catalog nowhere | DESCRIBE CATALOG nowhere
SYNTAX_ERROR | none | | DESCRIBE CATALOG
# ShowCatalogs
SYNTAX_ERROR | main | IN | SHOW CATALOGS IN x
# UseCatalog
NOT_FOUND | none | catalog nowhere | USE CATALOG nowhere
SYNTAX_ERROR | none | | USE CATALOG
# CreateBranch
ALREADY_EXISTS | main | branch named dev | CREATE BRANCH dev
ALREADY_EXISTS | main | branch named DEV | CREATE BRANCH DEV
ALREADY_EXISTS | main | tag named v1; branches and tags share their names | CREATE BRANCH v1
ALREADY_EXISTS | main | tag named v1 | CREATE BRANCH IF NOT EXISTS v1
NOT_FOUND | main | branch devv; Did you mean dev | CREATE BRANCH fresh FROM devv
NOT_FOUND | main | branch lost | CREATE BRANCH fresh FROM lost
NOT_FOUND | main | version 999999; SHOW HISTORY | CREATE BRANCH fresh VERSION AS OF 999999
NOT_FOUND | main | before its first | CREATE BRANCH fresh TIMESTAMP AS OF '1999-01-01'
NOT_FOUND | main | catalog nowhere | CREATE BRANCH nowhere.fresh
INVALID_VALUE | main | not a timestamp; 2026-01-31 10:00:00 | CREATE BRANCH fresh TIMESTAMP AS OF 'yesterday-ish'
INVALID_VALUE | none | No catalog is chosen | CREATE BRANCH fresh
NOT_SUPPORTED | transaction | transaction | CREATE BRANCH fresh
SYNTAX_ERROR | main | | CREATE BRANCH fresh VERSION AS OF
SYNTAX_ERROR | main | x | CREATE BRANCH fresh VERSION AS OF x
INVALID_VALUE | main | is no expiry | CREATE BRANCH fresh WITH EXPIRY ''
# DropBranch
NOT_FOUND | main | branch devv; Did you mean dev | DROP BRANCH devv
NOT_FOUND | main | branch lost; UNDROP BRANCH | DROP BRANCH lost
INVALID_VALUE | main | main cannot be dropped | DROP BRANCH main
NOT_FOUND | main | branch transaction {transaction} | DROP BRANCH `transaction {transaction}`
NOT_SUPPORTED | transaction | transaction | DROP BRANCH dev
NOT_SUPPORTED | main | CASCADE; Leave | DROP BRANCH dev CASCADE
# RenameBranch
NOT_FOUND | main | branch devv; Did you mean dev | ALTER BRANCH devv RENAME TO fresh
ALREADY_EXISTS | main | branch named clash | ALTER BRANCH dev RENAME TO clash
ALREADY_EXISTS | main | tag named v1 | ALTER BRANCH dev RENAME TO v1
INVALID_VALUE | main | main cannot be renamed | ALTER BRANCH main RENAME TO trunk
NOT_FOUND | main | branch transaction {transaction} | ALTER BRANCH `transaction {transaction}` RENAME TO fresh
NOT_SUPPORTED | transaction | transaction | ALTER BRANCH dev RENAME TO fresh
SYNTAX_ERROR | main | SET EXPIRY | ALTER BRANCH dev SET x
# ResetBranch
NOT_FOUND | main | branch devv; Did you mean dev | ALTER BRANCH devv RESET TO PARENT
INVALID_VALUE | main | main cannot be reset | ALTER BRANCH main RESET TO PARENT
BRANCH_MOVED | main | at version; not 999999 | ALTER BRANCH dev RESET TO PARENT IF HEAD = 999999
NOT_FOUND | main | branch transaction {transaction} | ALTER BRANCH `transaction {transaction}` RESET TO PARENT
NOT_SUPPORTED | transaction | transaction | ALTER BRANCH dev RESET TO PARENT
SYNTAX_ERROR | main | TO | ALTER BRANCH dev RESET
SYNTAX_ERROR | main | PARENT | ALTER BRANCH dev RESET TO main
SYNTAX_ERROR | main | HEAD | ALTER BRANCH dev RESET TO PARENT IF 12
SYNTAX_ERROR | main | a version | ALTER BRANCH dev RESET TO PARENT IF HEAD = x
# SetBranchExpiry
NOT_FOUND | main | branch devv; Did you mean dev | ALTER BRANCH devv SET EXPIRY '7 days'
INVALID_VALUE | main | main cannot be dropped | ALTER BRANCH main SET EXPIRY '7 days'
INVALID_VALUE | main | main cannot be dropped | ALTER BRANCH main UNSET EXPIRY
INVALID_VALUE | main | 'soon' is no expiry; 7 days | ALTER BRANCH dev SET EXPIRY 'soon'
INVALID_VALUE | main | cannot expire at '0 days' | ALTER BRANCH dev SET EXPIRY '0 days'
INVALID_VALUE | main | cannot expire at '2020-01-01' | ALTER BRANCH dev SET EXPIRY '2020-01-01'
INVALID_VALUE | main | cannot expire at '9999999 weeks' | ALTER BRANCH dev SET EXPIRY '9999999 weeks'
INVALID_VALUE | main | is not a timestamp | ALTER BRANCH dev SET EXPIRY '2026-13-01'
SYNTAX_ERROR | main | time in quotes | ALTER BRANCH dev SET EXPIRY 7
NOT_SUPPORTED | transaction | transaction | ALTER BRANCH dev SET EXPIRY '7 days'
# ShowBranches
INVALID_VALUE | none | No catalog is chosen | SHOW BRANCHES
SYNTAX_ERROR | main | d | SHOW BRANCHES d
# UseBranch
NOT_FOUND | main | branch devv; Did you mean dev | USE BRANCH devv
NOT_FOUND | main | branch lost | USE BRANCH lost
NOT_FOUND | main | branch transaction {transaction} | USE BRANCH `transaction {transaction}`
INVALID_VALUE | none | No catalog is chosen | USE BRANCH dev
SYNTAX_ERROR | main | | USE BRANCH
# UseDatabase
NOT_FOUND | main | database dd; Did you mean d | USE dd
NOT_FOUND | main | database dd | USE DATABASE dd
NOT_FOUND | main | catalog nowhere | USE DATABASE nowhere.d
SYNTAX_ERROR | main | | USE
# MergeBranch
SAME_BRANCH | main | itself; Name another | MERGE BRANCH main
SAME_BRANCH | main | itself | MERGE BRANCH dev TO dev
SAME_BRANCH | main | itself | MERGE BRANCH main DRY RUN
NOT_FOUND | main | branch devv; Did you mean dev | MERGE BRANCH devv
NOT_FOUND | main | branch devv; Did you mean dev | MERGE BRANCH clash TO devv
NOT_FOUND | main | branch lost | MERGE BRANCH lost
NOT_FOUND | main | catalog nowhere | MERGE BRANCH nowhere.main
NOT_FOUND | main | branch transaction {transaction} | MERGE BRANCH `transaction {transaction}`
NOT_FOUND | main | branch v1 | MERGE BRANCH v1
MERGE_CONFLICT | main | PREDICATE_DML_VS_INSERT | MERGE BRANCH clash
NOT_SUPPORTED | transaction | transaction | MERGE BRANCH dev
SYNTAX_ERROR | main | ONTO | MERGE BRANCH dev ONTO main
# UndropBranch
NOT_FOUND | main | dropped branch nowhere | UNDROP BRANCH nowhere
NOT_FOUND | main | dropped branch lots; Did you mean lost | UNDROP BRANCH lots
NOT_FOUND | main | dropped branch dev | UNDROP BRANCH dev
ALREADY_EXISTS | main | branch named again | UNDROP BRANCH again
NOT_SUPPORTED | transaction | transaction | UNDROP BRANCH lost
SYNTAX_ERROR | main | | UNDROP BRANCH lost AS
SYNTAX_ERROR | main | WITH | UNDROP BRANCH lost WITH 7
ALREADY_EXISTS | main | branch named dev; AS name | UNDROP BRANCH lost AS dev
ALREADY_EXISTS | main | tag named v1 | UNDROP BRANCH lost AS v1
NOT_FOUND | main | dropped branch lost with id 999999; Did you mean | UNDROP BRANCH lost WITH ID '999999'
# CreateTag
ALREADY_EXISTS | main | tag named v1 | CREATE TAG v1
ALREADY_EXISTS | main | branch named dev; branches and tags share their names | CREATE TAG dev
NOT_FOUND | main | branch devv; Did you mean dev | CREATE TAG v2 FROM devv
NOT_FOUND | main | version 999999 | CREATE TAG v2 VERSION AS OF 999999
NOT_SUPPORTED | transaction | transaction | CREATE TAG v2
SYNTAX_ERROR | main | | CREATE TAG
# RenameTag
NOT_FOUND | main | tag nowhere | ALTER TAG nowhere RENAME TO x
ALREADY_EXISTS | main | branch named dev | ALTER TAG v1 RENAME TO dev
INVALID_VALUE | main | name of a tag | ALTER TAG v1 RENAME TO ` x`
SYNTAX_ERROR | main | RENAME | ALTER TAG v1 SET x
NOT_SUPPORTED | transaction | transaction | ALTER TAG v1 RENAME TO x
# DropTag
NOT_FOUND | main | tag v11; Did you mean v1 | DROP TAG v11
NOT_FOUND | main | tag dev; SHOW TAGS | DROP TAG dev
NOT_FOUND | main | catalog nowhere | DROP TAG nowhere.v1
NOT_SUPPORTED | transaction | transaction | DROP TAG v1
SYNTAX_ERROR | main | CASCADE | DROP TAG v1 CASCADE
# ShowTags
INVALID_VALUE | none | No catalog is chosen | SHOW TAGS
SYNTAX_ERROR | main | v1 | SHOW TAGS v1
# RestoreTable
NOT_FOUND | main | version 999999; SHOW HISTORY | RESTORE TABLE d.people TO VERSION AS OF 999999
NOT_FOUND | main | table d.people; it came later | RESTORE TABLE d.people TO VERSION AS OF 1
NOT_FOUND | main | before its first | RESTORE TABLE d.people TO TIMESTAMP AS OF '1999-01-01'
INVALID_VALUE | main | not a timestamp | RESTORE TABLE d.people TO TIMESTAMP AS OF 'x'
MERGE_CONFLICT | main | NAME_EXISTS | RESTORE TABLE d.other TO VERSION AS OF {before_rename}
SYNTAX_ERROR | main | | RESTORE TABLE d.people
SYNTAX_ERROR | main | - | RESTORE TABLE d.people TO VERSION AS OF -1
# RestoreDatabase
NOT_FOUND | main | version 999999 | RESTORE DATABASE d TO VERSION AS OF 999999
NOT_FOUND | main | database e; it came later | RESTORE DATABASE e TO VERSION AS OF 1
INVALID_VALUE | main | not a timestamp | RESTORE DATABASE d TO TIMESTAMP AS OF 'x'
SYNTAX_ERROR | main | | RESTORE DATABASE d TO
# RestoreBranch
NOT_FOUND | main | branch devv; Did you mean dev | RESTORE BRANCH devv TO VERSION AS OF 1
NOT_FOUND | main | version 999999; SHOW HISTORY | RESTORE BRANCH dev TO VERSION AS OF 999999
NOT_FOUND | main | before its first | RESTORE BRANCH dev TO TIMESTAMP AS OF '1999-01-01'
NOT_FOUND | main | branch transaction {transaction} | RESTORE BRANCH `transaction {transaction}` TO VERSION AS OF 1
NOT_SUPPORTED | transaction | transaction | RESTORE BRANCH dev TO VERSION AS OF 1
SYNTAX_ERROR | main | | RESTORE BRANCH dev
# RestoreMerge
NOT_FOUND | main | merge; SHOW MERGES | RESTORE MERGE '00000000-0000-4000-8000-000000000000'
NOT_FOUND | main | merge {refused} | RESTORE MERGE '{refused}'
NOT_FOUND | main | branch target; dropped; UNDROP BRANCH | RESTORE MERGE '{merge}'
INVALID_VALUE | main | not the id of a merge; SHOW MERGES | RESTORE MERGE 'seven'
NOT_SUPPORTED | transaction | transaction | RESTORE MERGE '{merge}'
SYNTAX_ERROR | main | | RESTORE MERGE
# UndropTable
NOT_FOUND | main | dropped table d.dropt; Did you mean dropped | UNDROP TABLE d.dropt
NOT_FOUND | main | dropped table d.people | UNDROP TABLE d.people
NOT_FOUND | main | with id 999999 | UNDROP TABLE d.dropped WITH ID '999999'
NOT_FOUND | main | database dd; Did you mean d | UNDROP TABLE dd.dropped
INVALID_VALUE | main | gone was dropped itself; UNDROP DATABASE gone | UNDROP TABLE gone.inside
INVALID_VALUE | main | Several dropped tables; WITH ID | UNDROP TABLE d.twice
MERGE_CONFLICT | main | NAME_EXISTS | UNDROP TABLE d.dropped AS people
SYNTAX_ERROR | main | | UNDROP TABLE d.dropped AS
SYNTAX_ERROR | main | WITH | UNDROP TABLE d.dropped WITH 7
# UndropDatabase
NOT_FOUND | main | dropped database gon; Did you mean gone | UNDROP DATABASE gon
NOT_FOUND | main | dropped database d | UNDROP DATABASE d
NOT_FOUND | main | with id 999999 | UNDROP DATABASE gone WITH ID '999999'
MERGE_CONFLICT | main | NAME_EXISTS | UNDROP DATABASE gone AS d
SYNTAX_ERROR | main | | UNDROP DATABASE
# Vacuum
INVALID_VALUE | none | No catalog is chosen | VACUUM DRY RUN
NOT_SUPPORTED | transaction | transaction | VACUUM
# BeginTransaction
INVALID_VALUE | transaction | open already; COMMIT or ROLLBACK | BEGIN
INVALID_VALUE | none | No catalog is chosen | BEGIN
NOT_FOUND | nobranch | branch nobranch | BEGIN
SYNTAX_ERROR | main | d | BEGIN d
# CommitTransaction
INVALID_VALUE | main | No transaction is open; BEGIN | COMMIT
NOT_FOUND | unknown transaction | transaction; BEGIN | COMMIT
INVALID_VALUE | ended transaction | rolled back; BEGIN | COMMIT
INVALID_VALUE | dev transaction | of branch main | COMMIT
SYNTAX_ERROR | main | ALL | COMMIT ALL
# RollbackTransaction
INVALID_VALUE | main | No transaction is open; BEGIN | ROLLBACK
NOT_FOUND | unknown transaction | transaction | ROLLBACK
SYNTAX_ERROR | main | TO | ROLLBACK TO here
# CreateDatabase
ALREADY_EXISTS | main | database named d | CREATE DATABASE d
ALREADY_EXISTS | main | database named D | CREATE DATABASE D
INVALID_VALUE | main | p is given twice; Give it once | CREATE DATABASE f WITH DBPROPERTIES ('p' = '1', 'p' = '2')
INVALID_VALUE | none | No catalog is chosen | CREATE DATABASE f
FORBIDDEN_STATEMENT | main | Where | CREATE DATABASE f LOCATION '/x'
SYNTAX_ERROR | main | | CREATE DATABASE
# DropDatabase
INVALID_VALUE | main | holds; CASCADE | DROP DATABASE d
SYNTAX_ERROR | main | e | DROP DATABASE d e
# RenameDatabase
ALREADY_EXISTS | main | database named e | ALTER DATABASE d RENAME TO e
SYNTAX_ERROR | main | | ALTER DATABASE d RENAME TO
# SetDatabaseProperties
INVALID_VALUE | main | p is given twice | ALTER DATABASE d SET DBPROPERTIES ('p' = '1', 'p' = '2')
SYNTAX_ERROR | main | ) | ALTER DATABASE d SET DBPROPERTIES ()
# UnsetDatabaseProperties
PROPERTY_NOT_FOUND | main | nothing; IF EXISTS | ALTER DATABASE d UNSET DBPROPERTIES ('nothing')
PROPERTY_NOT_FOUND | main | nothing; IF EXISTS | ALTER DATABASE d UNSET DBPROPERTIES ('owner', 'nothing')
SYNTAX_ERROR | main | = | ALTER DATABASE d UNSET DBPROPERTIES ('owner' = 'me')
# ShowDatabases
INVALID_VALUE | none | No catalog is chosen | SHOW DATABASES
NOT_FOUND | nobranch | branch nobranch | SHOW DATABASES
SYNTAX_ERROR | main | LIKE and a pattern | SHOW DATABASES d
# DescribeDatabase
SYNTAX_ERROR | main | | DESCRIBE DATABASE
# CreateTable
INVALID_VALUE | main | no partition column can be BINARY | CREATE TABLE d.fresh (b BINARY) PARTITIONED BY (b)
INVALID_VALUE | main | no key can hold a MAP; to_json(m) | CREATE TABLE d.fresh (m MAP<STRING, INT>, PRIMARY KEY (m))
PERMISSION_DENIED | main | /x may not be read by statements | CREATE TABLE d.theirs FROM PARQUET '/x'
INVALID_VALUE | main | answers otherwise in each session | CREATE TABLE d.fresh (id INT, who STRING DEFAULT current_user())
INVALID_VALUE | main | write.merge.mod; write.merge.mode | CREATE TABLE d.odd (id INT) TBLPROPERTIES ('write.merge.mod' = 'copy-on-write')
ALREADY_EXISTS | main | table named d.people | CREATE TABLE d.people (id int)
ALREADY_EXISTS | main | table named d.PEOPLE | CREATE TABLE d.PEOPLE (id int)
ALREADY_EXISTS | main | view named d.adults | CREATE TABLE d.adults (id int)
ALREADY_EXISTS | main | table named d.people | CREATE TABLE d.people AS SELECT * FROM d.sales
NOT_FOUND | main | database dd; Did you mean d | CREATE TABLE dd.fresh (id int)
NOT_FOUND | main | table d.peple; Did you mean d.people | CREATE TABLE d.fresh AS SELECT * FROM d.peple
INVALID_VALUE | main | named without its database; db.fresh | CREATE TABLE fresh (id int)
INVALID_VALUE | main | column id is there twice | CREATE TABLE d.fresh (id int, ID string)
INVALID_VALUE | main | primary key names x | CREATE TABLE d.fresh (id int, PRIMARY KEY (x))
INVALID_VALUE | main | partitioning names x | CREATE TABLE d.fresh (id int) PARTITIONED BY (x)
NOT_SUPPORTED | main | partitioning of d.sales; PARTITIONED BY (day) | CREATE OR REPLACE TABLE d.sales AS SELECT * FROM d.sales
NOT_SUPPORTED | main | primary key of d.keyed; PRIMARY KEY (id) | CREATE OR REPLACE TABLE d.keyed (id INT)
NOT_SUPPORTED | main | primary key of d.people; Leave PRIMARY KEY out | CREATE OR REPLACE TABLE d.people (id INT PRIMARY KEY)
NOT_SUPPORTED | main | LIKE; WHERE false | CREATE OR REPLACE TABLE d.people LIKE d.sales
SYNTAX_ERROR | main | takes no IF | CREATE OR REPLACE TABLE IF NOT EXISTS d.people (id INT)
NOT_FOUND | main | table d.peple; Did you mean d.people | REPLACE TABLE d.peple (id INT)
ALREADY_EXISTS | main | view named d.adults | CREATE OR REPLACE TABLE d.adults (id INT)
INVALID_VALUE | main | write.merge.mod; write.merge.mode | CREATE OR REPLACE TABLE d.people (id INT) TBLPROPERTIES ('write.merge.mod' = 'x')
INVALID_VALUE | main | two primary keys | CREATE TABLE d.fresh (id int PRIMARY KEY, PRIMARY KEY (id))
INVALID_VALUE | main | __lake_x; reserved | CREATE TABLE d.fresh (__lake_x int)
INVALID_VALUE | main | ITN; primitive type | CREATE TABLE d.fresh (id itn)
INVALID_VALUE | main | cannot use the column; constant | CREATE TABLE d.fresh (id int, n int DEFAULT id)
INVALID_DEFAULT | main | Column v cannot store its default | CREATE TABLE d.fresh (id int, v varchar(2) DEFAULT 'abc')
INVALID_DEFAULT | main | Column n cannot store its default | CREATE TABLE d.fresh (id int, n int NOT NULL DEFAULT NULL)
INVALID_DEFAULT | main | Column id cannot store its default | CREATE TABLE d.fresh (id int PRIMARY KEY DEFAULT NULL)
NOT_SUPPORTED | main | Columns and AS SELECT | CREATE TABLE d.fresh (id int) AS SELECT 1
NOT_FOUND | main | table d.peple; Did you mean d.people | CREATE TABLE d.fresh LIKE d.peple
NOT_SUPPORTED | main | LIKE takes columns, partitioning and comment | CREATE TABLE d.fresh LIKE d.people PARTITIONED BY (id)
NOT_FOUND | main | table d.peple; Did you mean d.people | CREATE TABLE d.fresh CLONE d.peple
NOT_FOUND | main | version 999 | CREATE TABLE d.fresh CLONE d.people VERSION AS OF 999
NOT_FOUND | main | branch nowhere | CREATE TABLE d.fresh CLONE d.`people@nowhere`
ALREADY_EXISTS | main | view named d.adults | CREATE TABLE d.adults CLONE d.people
NOT_SUPPORTED | main | d.adults is a view; AS SELECT | CREATE TABLE d.fresh CLONE d.adults
NOT_SUPPORTED | main | DEEP CLONE; Write CLONE | CREATE TABLE d.fresh DEEP CLONE d.people
NOT_SUPPORTED | main | AT and BEFORE; VERSION AS OF | CREATE TABLE d.fresh CLONE d.people AT (TIMESTAMP => 'x')
NOT_SUPPORTED | main | stays the same object; CREATE TABLE .. CLONE | CREATE OR REPLACE TABLE d.people CLONE d.sales
FORBIDDEN_STATEMENT | main | Where and how a table is stored | CREATE TABLE d.fresh CLONE d.people LOCATION '/tmp/x'
SYNTAX_ERROR | main | takes all from its source | CREATE TABLE d.fresh CLONE d.people PARTITIONED BY (id)
NOT_SUPPORTED | main | USING csv | CREATE TABLE d.fresh (id int) USING csv
NOT_SUPPORTED | main | CHECK constraint is always enforced | CREATE TABLE d.fresh (id int, CHECK (id > 0) NOT ENFORCED)
NOT_SUPPORTED | main | UNIQUE constraints | CREATE TABLE d.fresh (id int, UNIQUE (id))
NOT_FOUND | main | column nam; Did you mean name | CREATE TABLE d.fresh (name string, CHECK (nam > 'a'))
INVALID_VALUE | main | constraint c is there twice | CREATE TABLE d.fresh (id int, CONSTRAINT c CHECK (id > 0), CONSTRAINT C CHECK (id > 1))
NOT_SUPPORTED | main | CLUSTERED BY; PARTITIONED BY | CREATE TABLE d.fresh (id int) CLUSTERED BY (id) INTO 4 BUCKETS
NOT_SUPPORTED | main | cannot be int; BIGINT | CREATE TABLE d.fresh (id INT GENERATED ALWAYS AS IDENTITY)
INVALID_VALUE | main | same number; INCREMENT BY 1 | CREATE TABLE d.fresh (id BIGINT GENERATED ALWAYS AS IDENTITY (INCREMENT BY 0))
NOT_SUPPORTED | main | part of the primary key | CREATE TABLE d.fresh (id INT, n INT GENERATED ALWAYS AS (id) PRIMARY KEY)
INVALID_VALUE | main | DEFAULT and is generated | CREATE TABLE d.fresh (id INT, n INT DEFAULT 1 GENERATED ALWAYS AS (id))
NOT_SUPPORTED | main | weeks; days | CREATE TABLE d.fresh (id int) PARTITIONED BY (weeks(id))
INVALID_VALUE | main | days; TIMESTAMP | CREATE TABLE d.fresh (id int) PARTITIONED BY (days(id))
INVALID_VALUE | main | from 1 to | CREATE TABLE d.fresh (id int) PARTITIONED BY (bucket(0, id))
FORBIDDEN_STATEMENT | main | Where and how a table is stored | CREATE TABLE d.fresh (id int) LOCATION '/tmp/x'
FORBIDDEN_STATEMENT | main | looks like a file; managed tables | CREATE TABLE d.fresh AS SELECT * FROM parquet.`/tmp/x`
FORBIDDEN_STATEMENT | main | CREATE EXTERNAL | CREATE EXTERNAL TABLE d.fresh (id int)
SYNTAX_ERROR | main | | CREATE TABLE d.fresh (id
# DropTable
NOT_SUPPORTED | main | CASCADE; DROP DATABASE | DROP TABLE d.people CASCADE
# RenameTable
ALREADY_EXISTS | main | table named d.sales | ALTER TABLE d.people RENAME TO d.sales
ALREADY_EXISTS | main | view named d.adults | ALTER TABLE d.people RENAME TO d.adults
NOT_FOUND | main | database dd; Did you mean d | ALTER TABLE d.people RENAME TO dd.people
NOT_FOUND | main | catalog elsewhere | ALTER TABLE d.people RENAME TO elsewhere.d.people
INVALID_VALUE | main | another catalog; AS SELECT | ALTER TABLE d.people RENAME TO {other}.d.people
SYNTAX_ERROR | main | | ALTER TABLE d.people RENAME TO
# SetTableProperties
INVALID_VALUE | main | write.merge.mode; merge-on-read; copy-on-write | ALTER TABLE d.regions SET TBLPROPERTIES ('write.merge.mode' = 'copy')
INVALID_VALUE | main | p is given twice | ALTER TABLE d.people SET TBLPROPERTIES ('p' = '1', 'p' = '2')
FORBIDDEN_STATEMENT | main | stored | ALTER TABLE d.people SET LOCATION '/tmp/x'
SYNTAX_ERROR | main | | ALTER TABLE d.people SET TBLPROPERTIES
# UnsetTableProperties
PROPERTY_NOT_FOUND | main | nothing; IF EXISTS | ALTER TABLE d.people UNSET TBLPROPERTIES ('nothing')
SYNTAX_ERROR | main | x | ALTER TABLE d.people UNSET TBLPROPERTIES (owner 'x')
# AddColumns
NOT_SUPPORTED | main | no identity column; CREATE OR REPLACE TABLE | ALTER TABLE d.people ADD COLUMN n BIGINT GENERATED ALWAYS AS IDENTITY
ALREADY_EXISTS | main | column named NAME; people | ALTER TABLE d.people ADD COLUMN NAME string
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ADD COLUMN x int AFTER nam
NOT_NULL_VIOLATION | main | NOT NULL without a default; DEFAULT | ALTER TABLE d.people ADD COLUMN x int NOT NULL
INVALID_DEFAULT | main | Column x cannot store its default | ALTER TABLE d.people ADD COLUMN x varchar(1) DEFAULT 'ab'
INVALID_DEFAULT | main | Column x cannot store its default | ALTER TABLE d.people ADD COLUMN x int NOT NULL DEFAULT NULL
INVALID_VALUE | main | added twice | ALTER TABLE d.people ADD COLUMNS (x int, X int)
INVALID_VALUE | main | ITN; primitive type | ALTER TABLE d.people ADD COLUMN x itn
INVALID_VALUE | main | __lake_x; reserved | ALTER TABLE d.people ADD COLUMN __lake_x int
NOT_SUPPORTED | main | key cannot be added later | ALTER TABLE d.people ADD COLUMN x int PRIMARY KEY
NOT_SUPPORTED | main | takes no constraint; ADD CONSTRAINT | ALTER TABLE d.people ADD COLUMN x int CHECK (x > 0)
SYNTAX_ERROR | main | | ALTER TABLE d.people ADD COLUMN x
# AddConstraint
CHECK_VIOLATED | main | the constraint c of d.people; drop the constraint | ALTER TABLE d.people ADD CONSTRAINT c CHECK (id > 1000000)
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ADD CONSTRAINT c CHECK (nam <> '')
INVALID_VALUE | main | time of the statement; a constant | ALTER TABLE d.people ADD CONSTRAINT c CHECK (id > year(current_date()))
NOT_SUPPORTED | main | subquery | ALTER TABLE d.people ADD CONSTRAINT c CHECK (id IN (SELECT id FROM d.sales))
NOT_SUPPORTED | main | key cannot be added later | ALTER TABLE d.people ADD CONSTRAINT c PRIMARY KEY (id)
NOT_SUPPORTED | main | FOREIGN constraints | ALTER TABLE d.people ADD CONSTRAINT c FOREIGN KEY (id) REFERENCES d.sales (id)
SYNTAX_ERROR | main | | ALTER TABLE d.people ADD CONSTRAINT c CHECK (id >
# DropConstraint
NOT_FOUND | main | constraint c; DESCRIBE TABLE EXTENDED | ALTER TABLE d.people DROP CONSTRAINT c
SYNTAX_ERROR | main | | ALTER TABLE d.people DROP CONSTRAINT
# ChangeLayout
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ADD PARTITION FIELD bucket(4, nam)
NOT_FOUND | main | partition field days(name); which has none; DESCRIBE TABLE EXTENDED | ALTER TABLE d.people DROP PARTITION FIELD days(name)
NOT_SUPPORTED | main | name as it is; PARTITIONED BY | ALTER TABLE d.people ADD PARTITION FIELD name
NOT_SUPPORTED | main | day is a partition column; Leave one | ALTER TABLE d.sales ADD PARTITION FIELD truncate(2, day)
NOT_SUPPORTED | main | Leave AS out | ALTER TABLE d.people ADD PARTITION FIELD bucket(4, id) AS b
INVALID_VALUE | main | takes no column of type string; TIMESTAMP | ALTER TABLE d.people ADD PARTITION FIELD years(name)
INVALID_VALUE | main | bucket takes a number; bucket(16, id) | ALTER TABLE d.people ADD PARTITION FIELD bucket(id)
SYNTAX_ERROR | main | | ALTER TABLE d.people REPLACE PARTITION FIELD bucket(4, id)
# ClusterBy
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people CLUSTER BY (nam)
INVALID_VALUE | main | day is a partition column | ALTER TABLE d.sales CLUSTER BY (day)
SYNTAX_ERROR | main | | ALTER TABLE d.people CLUSTER BY id
# DropColumns
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people DROP COLUMN nam
NOT_FOUND | main | column zzz; DESCRIBE TABLE | ALTER TABLE d.people DROP COLUMNS (name, zzz)
INVALID_VALUE | main | primary key or the partitioning | ALTER TABLE d.keyed DROP COLUMN id
INVALID_VALUE | main | primary key or the partitioning | ALTER TABLE d.sales DROP COLUMN day
INVALID_VALUE | main | no column left; Drop the table | ALTER TABLE d.people DROP COLUMNS (id, name, age)
SYNTAX_ERROR | main | | ALTER TABLE d.people DROP COLUMN
# RenameColumn
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people RENAME COLUMN nam TO x
ALREADY_EXISTS | main | column named id | ALTER TABLE d.people RENAME COLUMN name TO id
INVALID_VALUE | main | __lake_x; reserved | ALTER TABLE d.people RENAME COLUMN name TO __lake_x
SYNTAX_ERROR | main | | ALTER TABLE d.people RENAME COLUMN name
# ChangeRestriction
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ALTER COLUMN nam SET MASK (NULL) FOR ROLE viewer
NOT_FOUND | main | no mask d.people.name; SHOW RESTRICTIONS | ALTER TABLE d.people ALTER COLUMN name UNSET MASK FOR ROLE viewer
NOT_FOUND | main | no row filter d.people; SHOW RESTRICTIONS | ALTER TABLE d.people UNSET ROW FILTER FOR ROLE viewer
NOT_FOUND | main | group nobody | ALTER TABLE d.people SET ROW FILTER (id = 1) FOR GROUP nobody
NOT_FOUND | main | table d.peple | ALTER TABLE d.peple SET ROW FILTER (id = 1) FOR ROLE viewer
INVALID_VALUE | main | no role owner; owners see all rows | ALTER TABLE d.people SET ROW FILTER (id = 1) FOR ROLE owner
SYNTAX_ERROR | main | FOR ROLE or FOR GROUP | ALTER TABLE d.people SET ROW FILTER (id = 1)
SYNTAX_ERROR | main | | ALTER TABLE d.people SET ROW FILTER () FOR ROLE viewer
SYNTAX_ERROR | main | | ALTER TABLE d.people SET ROW FILTER id = 1 FOR ROLE viewer
SYNTAX_ERROR | main | | ALTER TABLE d.people ALTER COLUMN name UNSET MASK (NULL) FOR ROLE viewer
NOT_SUPPORTED | transaction | transaction | ALTER TABLE d.people SET ROW FILTER (id = 1) FOR ROLE viewer
# ShowRestrictions
NOT_FOUND | main | table d.peple | SHOW RESTRICTIONS ON d.peple
INVALID_VALUE | none | No catalog is chosen | SHOW RESTRICTIONS
SYNTAX_ERROR | main | d | SHOW RESTRICTIONS d
# AlterColumn
INVALID_VALUE | main | no identity column; DESCRIBE EXTENDED | ALTER TABLE d.people ALTER COLUMN id SYNC IDENTITY
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ALTER COLUMN nam TYPE string
NOT_FOUND | main | column nam; Did you mean name | ALTER TABLE d.people ALTER COLUMN id AFTER nam
NOT_FOUND | main | column zzz; DESCRIBE TABLE | ALTER TABLE d.people ALTER COLUMN zzz SET NOT NULL
TYPE_NARROWING | main | age is bigint; wider | ALTER TABLE d.people ALTER COLUMN age TYPE int
TYPE_NARROWING | main | name is string | ALTER TABLE d.people ALTER COLUMN name TYPE bigint
NOT_NULL_VIOLATION | main | with NULL; UPDATE | ALTER TABLE d.people ALTER COLUMN age SET NOT NULL
INVALID_VALUE | main | stays NOT NULL | ALTER TABLE d.keyed ALTER COLUMN id DROP NOT NULL
INVALID_VALUE | main | cannot use the column; constant | ALTER TABLE d.people ALTER COLUMN age SET DEFAULT id
NOT_FOUND | main | name.first | ALTER TABLE d.people ALTER COLUMN name.first TYPE string
INVALID_DEFAULT | main | Column id cannot store its default | ALTER TABLE d.people ALTER COLUMN id SET DEFAULT NULL
FORBIDDEN_STATEMENT | main | reflect | ALTER TABLE d.people ALTER COLUMN age SET DEFAULT reflect('a', 'b')
SYNTAX_ERROR | main | | ALTER TABLE d.people ALTER COLUMN name
# AlterColumns
NOT_FOUND | main | column zzz; DESCRIBE TABLE | ALTER TABLE d.people ALTER COLUMN id COMMENT 'x', zzz COMMENT 'y'
INVALID_VALUE | main | id is altered twice | ALTER TABLE d.people ALTER COLUMN id COMMENT 'x', id COMMENT 'y'
INVALID_VALUE | main | age is altered twice | ALTER TABLE d.people ALTER COLUMN age SET DEFAULT 1, age DROP DEFAULT
NOT_SUPPORTED | main | moves one column | ALTER TABLE d.people ALTER COLUMN id FIRST, age AFTER name
TYPE_NARROWING | main | age is bigint | ALTER TABLE d.people ALTER COLUMN id COMMENT 'x', age TYPE int
NOT_SUPPORTED | main | CHANGE COLUMN renames; RENAME COLUMN | ALTER TABLE d.people CHANGE COLUMN id number INT
SYNTAX_ERROR | main | | ALTER TABLE d.people ALTER COLUMN id COMMENT 'x',
# ReplaceColumns
TYPE_NARROWING | main | age is bigint | ALTER TABLE d.people REPLACE COLUMNS (id INT NOT NULL, age INT)
INVALID_VALUE | main | id is part of the primary key | ALTER TABLE d.keyed REPLACE COLUMNS (name STRING)
INVALID_VALUE | main | day is part of the primary key or the partitioning | ALTER TABLE d.sales REPLACE COLUMNS (id INT)
INVALID_VALUE | main | day is part of the primary key or the partitioning | ALTER TABLE d.sales REPLACE COLUMNS (other INT)
NOT_NULL_VIOLATION | main | age; 1 row with NULL | ALTER TABLE d.people REPLACE COLUMNS (id INT NOT NULL, age BIGINT NOT NULL)
NOT_NULL_VIOLATION | main | fresh is NOT NULL without a default | ALTER TABLE d.people REPLACE COLUMNS (id INT NOT NULL, fresh INT NOT NULL)
INVALID_VALUE | main | added twice | ALTER TABLE d.people REPLACE COLUMNS (id INT, ID INT)
NOT_SUPPORTED | main | FIRST, AFTER and GENERATED | ALTER TABLE d.people REPLACE COLUMNS (id INT, age BIGINT FIRST)
NOT_SUPPORTED | main | FIRST, AFTER and GENERATED | ALTER TABLE d.people REPLACE COLUMNS (id INT, two INT GENERATED ALWAYS AS (id * 2))
SYNTAX_ERROR | main | in parentheses | ALTER TABLE d.people REPLACE COLUMNS id INT
# AddPartition
ALREADY_EXISTS | main | partition named day = mon | ALTER TABLE d.sales ADD PARTITION (day = 'mon')
ALREADY_EXISTS | main | partition named day = declared | ALTER TABLE d.sales ADD PARTITION (day = 'declared')
INVALID_VALUE | main | not partitioned; PARTITIONED BY | ALTER TABLE d.people ADD PARTITION (day = 'mon')
INVALID_VALUE | main | named by day | ALTER TABLE d.sales ADD PARTITION (week = 'x')
INVALID_VALUE | main | day is given twice | ALTER TABLE d.sales ADD PARTITION (day = 'x', day = 'y')
FORBIDDEN_STATEMENT | main | stored | ALTER TABLE d.sales ADD PARTITION (day = 'x') LOCATION '/tmp/x'
INVALID_VALUE | main | added twice; once | ALTER TABLE d.sales ADD PARTITION (day = 'x') PARTITION (day = 'x')
SYNTAX_ERROR | main | | ALTER TABLE d.sales ADD PARTITION
# DropPartition
NOT_FOUND | main | partition country = fr | ALTER TABLE d.regions DROP PARTITION (country = 'fr')
NOT_FOUND | main | partition day = tue; SHOW PARTITIONS | ALTER TABLE d.sales DROP PARTITION (day = 'tue')
INVALID_VALUE | main | not partitioned | ALTER TABLE d.people DROP PARTITION (day = 'mon')
INVALID_VALUE | main | named by day | ALTER TABLE d.sales DROP PARTITION (week = 'x')
NOT_SUPPORTED | main | one value of day; DELETE FROM | ALTER TABLE d.sales DROP PARTITION (day > 'a')
NOT_SUPPORTED | main | one value of day | ALTER TABLE d.sales DROP PARTITION (day IN ('a', 'b'))
NOT_SUPPORTED | main | one value of day | ALTER TABLE d.sales ADD PARTITION (day IS NULL)
SYNTAX_ERROR | main | 7Q | ALTER TABLE d.sales DROP PARTITION (day = 7Q)
# RenamePartition
NOT_FOUND | main | partition day = tue | ALTER TABLE d.sales PARTITION (day = 'tue') RENAME TO PARTITION (day = 'wed')
ALREADY_EXISTS | main | partition named day = declared | ALTER TABLE d.sales PARTITION (day = 'mon') RENAME TO PARTITION (day = 'declared')
INVALID_VALUE | main | not partitioned | ALTER TABLE d.people PARTITION (day = 'a') RENAME TO PARTITION (day = 'b')
SYNTAX_ERROR | main | | ALTER TABLE d.sales PARTITION (day = 'mon') RENAME TO
# ShowTableExtended
NOT_SUPPORTED | main | one partition; SHOW PARTITIONS | SHOW TABLE EXTENDED IN d LIKE 'sales' PARTITION (day = 'mon')
SYNTAX_ERROR | main | LIKE | SHOW TABLE EXTENDED IN d
# ShowTableProperties
PROPERTY_NOT_FOUND | main | nothing; SHOW TBLPROPERTIES d.people | SHOW TBLPROPERTIES d.people ('nothing')
SYNTAX_ERROR | main | | SHOW TBLPROPERTIES
# ShowColumns
SYNTAX_ERROR | main | IN | SHOW COLUMNS d.people
# ShowSchemaVersions
SYNTAX_ERROR | main | | SHOW SCHEMA VERSIONS
# ShowFunctions
NOT_SUPPORTED | main | No database has functions | SHOW FUNCTIONS IN d
SYNTAX_ERROR | main | LIKE and a pattern | SHOW FUNCTIONS sum
# DescribeColumn
NOT_FOUND | main | column nam; Did you mean name | DESCRIBE d.people nam
NOT_FOUND | main | column name.first | DESCRIBE d.people name.first
# DescribeDetail
SYNTAX_ERROR | main | | DESCRIBE DETAIL
# ShowTables
INVALID_VALUE | none | No catalog is chosen | SHOW TABLES
SYNTAX_ERROR | main | | SHOW TABLES IN
# DescribeTable
SYNTAX_ERROR | main | VERSION | DESCRIBE TABLE d.people VERSION AS OF 1
SYNTAX_ERROR | main | | DESCRIBE TABLE
# ShowCreateTable
SYNTAX_ERROR | main | | SHOW CREATE TABLE
# ShowPartitions
SYNTAX_ERROR | main | | SHOW PARTITIONS
INVALID_VALUE | main | named by day | SHOW PARTITIONS d.sales PARTITION (week = 1)
INVALID_VALUE | main | not partitioned | SHOW PARTITIONS d.people PARTITION (day = 1)
# ShowProfile
SYNTAX_ERROR | main | | SHOW PROFILE
NOT_FOUND | main | version 999999 | SHOW PROFILE d.people VERSION AS OF 999999
# CreateView
ALREADY_EXISTS | main | view named d.adults; OR REPLACE | CREATE VIEW d.adults AS SELECT * FROM d.people
ALREADY_EXISTS | main | table named d.people | CREATE OR REPLACE VIEW d.people AS SELECT * FROM d.sales
NOT_FOUND | main | table d.peple; Did you mean d.people | CREATE VIEW d.fresh AS SELECT * FROM d.peple
NOT_FOUND | main | database dd; Did you mean d | CREATE VIEW dd.fresh AS SELECT * FROM d.people
INVALID_VALUE | main | names 1 column; id, name, age | CREATE VIEW d.fresh (a) AS SELECT * FROM d.people
INVALID_VALUE | main | a is there twice | CREATE VIEW d.fresh (a, a) AS SELECT * FROM d.people
SYNTAX_ERROR | main | type is that of the query | CREATE VIEW d.fresh (a INT) AS SELECT 1 AS a
NOT_SUPPORTED | main | WITH SCHEMA; CAST | CREATE VIEW d.fresh WITH SCHEMA EVOLUTION AS SELECT 1 AS a
NOT_SUPPORTED | main | no partitions | CREATE VIEW d.fresh PARTITIONED ON (a) AS SELECT 1 AS a
NOT_SUPPORTED | main | CREATE OR REPLACE GLOBAL TEMPORARY VIEW; CREATE TEMPORARY VIEW | CREATE OR REPLACE GLOBAL TEMPORARY VIEW fresh AS SELECT 1
NOT_SUPPORTED | main | MATERIALIZED VIEW; CREATE OR REPLACE TABLE d.fresh AS SELECT 1 writes the rows once; pipeline named fresh; full_refresh | CREATE MATERIALIZED VIEW d.fresh AS SELECT 1
NOT_SUPPORTED | main | OR REPLACE MATERIALIZED VIEW; at '0 6 * * *' in Europe/Berlin | CREATE OR REPLACE MATERIALIZED VIEW d.fresh COMMENT 'c' SCHEDULE CRON '0 6 * * *' AT TIME ZONE 'Europe/Berlin' AS SELECT 1
NOT_SUPPORTED | main | 5 fields in UTC | CREATE MATERIALIZED VIEW IF NOT EXISTS d.fresh (a COMMENT 'c') SCHEDULE REFRESH CRON '0 0 6 * * ? *' AS SELECT 1
FORBIDDEN_STATEMENT | main | reflect | CREATE MATERIALIZED VIEW d.fresh AS SELECT reflect('a', 'b')
SYNTAX_ERROR | main | CRON | CREATE MATERIALIZED VIEW d.fresh SCHEDULE HOURLY AS SELECT 1
NOT_SUPPORTED | main | cron line for every 1 hour | CREATE MATERIALIZED VIEW d.fresh SCHEDULE EVERY 1 HOUR AS SELECT 1
NOT_SUPPORTED | main | CREATE OR REPLACE TABLE d.fresh PARTITIONED BY (`a`) AS SELECT 1 AS a writes the rows once | CREATE MATERIALIZED VIEW d.fresh PARTITIONED BY (a) TRIGGER ON UPDATE AS SELECT 1 AS a
NOT_SUPPORTED | main | AS SELECT * FROM (SELECT 1) AS q (`n`) | CREATE MATERIALIZED VIEW d.fresh (n) AS SELECT 1
NOT_SUPPORTED | main | CREATE OR REPLACE TEMPORARY FUNCTION `f`(`x` int) RETURNS int RETURN `x` + 1, | CREATE FUNCTION IF NOT EXISTS d.f(x INT) RETURNS INT RETURN x + 1
NOT_SUPPORTED | main | returns a table; Make a temporary view | CREATE FUNCTION d.f(x INT) RETURNS TABLE (a INT) RETURN SELECT x
NOT_SUPPORTED | main | CREATE TEMPORARY FUNCTION `f`; no DEFAULT | CREATE FUNCTION f(x INT DEFAULT 1) RETURN x
NOT_SUPPORTED | main | DEFAULT as a column; INSERT INTO t (the other columns) SELECT | INSERT INTO d.people SELECT 5, DEFAULT, 3
NOT_SUPPORTED | main | DEFAULT as a column | INSERT INTO d.people SELECT 5, DEFAULT AS name, 3 UNION ALL SELECT 6, 'x', 4
INVALID_VALUE | main | TIME; STRING such as '10:00:00' | CREATE TABLE d.fresh (at TIME)
INVALID_VALUE | main | TEXT; Write STRING | CREATE TABLE d.fresh (a TEXT)
INVALID_VALUE | main | Did you mean BIGINT | CREATE TABLE d.fresh (a BIGNIT)
FORBIDDEN_STATEMENT | main | The type TIME; STRING such as | SELECT CAST('10:00' AS TIME)
FORBIDDEN_STATEMENT | main | The type TIME; STRING such as | SELECT TIME'10:00:00'
FORBIDDEN_STATEMENT | main | current_time; STRING such as | SELECT current_time()
FORBIDDEN_STATEMENT | main | The function abs; Write abs(..) alone | SELECT builtin.abs(-1)
FORBIDDEN_STATEMENT | main | Write sum(..) alone | SELECT system.builtin.sum(1) OVER ()
SYNTAX_ERROR | main | A text in quotes is no name; `name` | SELECT p."name" FROM d.people AS p
SYNTAX_ERROR | main | behind the type | SELECT x::array<int>(1) FROM VALUES (array(1)) AS t(x)
NOT_SUPPORTED | main | Delete the pipeline; DROP TABLE d.fresh | DROP MATERIALIZED VIEW IF EXISTS d.fresh
NOT_SUPPORTED | main | Edit the pipeline that writes d.fresh | ALTER MATERIALIZED VIEW d.fresh DROP SCHEDULE
NOT_SUPPORTED | main | Pipelines | SHOW MATERIALIZED VIEWS IN d
NOT_SUPPORTED | main | REFRESH MATERIALIZED VIEW; pipeline | REFRESH MATERIALIZED VIEW d.fresh
NOT_SUPPORTED | main | DROP FUNCTION; DROP TEMPORARY FUNCTION | DROP FUNCTION f
NOT_SUPPORTED | main | CACHE TABLE; keeps rows in memory | CACHE TABLE d.t
NOT_SUPPORTED | main | DECLARE VARIABLE; parameters | DECLARE VARIABLE x INT DEFAULT 5
NOT_SUPPORTED | main | CREATE TEMPORARY TABLE; CREATE TEMPORARY VIEW | CREATE TEMPORARY TABLE tt (x INT)
NOT_SUPPORTED | main | CREATE STREAMING TABLE; pipeline | CREATE STREAMING TABLE d.fresh AS SELECT 1
NOT_SUPPORTED | main | REORG TABLE; OPTIMIZE | REORG TABLE d.people APPLY (PURGE)
NOT_SUPPORTED | main | CONVERT TO DELTA; FROM PARQUET | CONVERT TO DELTA parquet.`/x`
NOT_SUPPORTED | main | FSCK REPAIR TABLE; check_catalog | FSCK REPAIR TABLE d.people
NOT_SUPPORTED | main | SHOW CURRENT; current_database() | SHOW CURRENT NAMESPACE
NOT_SUPPORTED | main | SHOW GRANTS; Members | SHOW GRANTS ON TABLE d.people
NOT_SUPPORTED | main | REFRESH TABLE; the newest version | REFRESH TABLE d.t
NOT_SUPPORTED | main | MSCK REPAIR TABLE; the newest version | MSCK REPAIR TABLE d.t
NOT_SUPPORTED | main | CREATE OR REPLACE FUNCTION; no branch keeps functions; CREATE OR REPLACE TEMPORARY FUNCTION | CREATE OR REPLACE FUNCTION f(x INT) RETURNS INT RETURN x + 1
NOT_SUPPORTED | main | SET COMMENT; COMMENT ON TABLE | ALTER TABLE d.people SET COMMENT 'x'
NOT_SUPPORTED | main | takes no RETAIN; LAKEUI_RETENTION_DAYS | VACUUM d.people RETAIN 7 HOURS
FORBIDDEN_STATEMENT | main | read_files; upload | SELECT * FROM read_files('/tmp/x')
NOT_SUPPORTED | transaction | transaction | CREATE VIEW d.fresh AS SELECT * FROM d.people
FORBIDDEN_STATEMENT | main | looks like a file | CREATE VIEW d.fresh AS SELECT * FROM csv.`/tmp/x`
SYNTAX_ERROR | main | | CREATE VIEW d.fresh AS
# CreateTemporaryView
NOT_FOUND | main | table d.peple; Did you mean d.people | CREATE TEMP VIEW fresh AS SELECT * FROM d.peple
INVALID_VALUE | main | people is named without its database | CREATE TEMPORARY VIEW fresh AS SELECT * FROM people
INVALID_VALUE | main | of the session; without a database | CREATE TEMP VIEW d.fresh AS SELECT 1 AS a
NOT_SUPPORTED | main | IF NOT EXISTS; CREATE OR REPLACE | CREATE TEMP VIEW IF NOT EXISTS fresh AS SELECT 1 AS a
NOT_SUPPORTED | main | no comments | CREATE TEMP VIEW fresh COMMENT 'c' AS SELECT 1 AS a
FORBIDDEN_STATEMENT | main | USING | CREATE TEMP VIEW fresh USING csv OPTIONS (path '/tmp/x')
SYNTAX_ERROR | main | | CREATE TEMP VIEW fresh
# DropTemporaryView
NOT_FOUND | main | view fresh; SHOW VIEWS | DROP TEMPORARY VIEW fresh
SYNTAX_ERROR | main | | DROP TEMPORARY VIEW
# CreateTemporaryFunction
SYNTAX_ERROR | main | | CREATE TEMPORARY FUNCTION f
SYNTAX_ERROR | main | RETURN | CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT
INVALID_VALUE | main | not of a database | CREATE TEMPORARY FUNCTION d.f(x INT) RETURN x
INVALID_VALUE | main | id is no parameter; pass the column | CREATE TEMPORARY FUNCTION f(x INT) RETURN x + id
INVALID_VALUE | main | given twice | CREATE TEMPORARY FUNCTION f(x INT, X INT) RETURN x
INVALID_VALUE | main | current_user() cannot stand here | CREATE TEMPORARY FUNCTION f() RETURN current_user()
NOT_SUPPORTED | main | calls itself | CREATE TEMPORARY FUNCTION f(x INT) RETURN f(x - 1)
NOT_SUPPORTED | main | subquery | CREATE TEMPORARY FUNCTION f(x INT) RETURN (SELECT max(id) FROM d.people)
NOT_SUPPORTED | main | aggregate sum | CREATE TEMPORARY FUNCTION f(x INT) RETURN sum(x)
NOT_SUPPORTED | main | returns a table; temporary view | CREATE TEMPORARY FUNCTION f(x INT) RETURNS TABLE (a INT) RETURN SELECT 1
NOT_SUPPORTED | main | no DEFAULT | CREATE TEMPORARY FUNCTION f(x INT DEFAULT 1) RETURN x
NOT_SUPPORTED | main | no comment | CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT COMMENT 'c' RETURN x
NOT_SUPPORTED | main | IF NOT EXISTS; CREATE OR REPLACE | CREATE TEMPORARY FUNCTION IF NOT EXISTS f(x INT) RETURN x
FORBIDDEN_STATEMENT | main | LANGUAGE | CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON RETURN x
FORBIDDEN_STATEMENT | main | FUNCTION … AS | CREATE TEMPORARY FUNCTION f AS 'a.b.C'
FORBIDDEN_STATEMENT | main | upper is a function of Spark SQL | CREATE TEMPORARY FUNCTION upper(x STRING) RETURN x
FORBIDDEN_STATEMENT | main | reflect | CREATE TEMPORARY FUNCTION f(x STRING) RETURN reflect(x)
# DropTemporaryFunction
NOT_FOUND | main | function f | DROP TEMPORARY FUNCTION f
SYNTAX_ERROR | main | | DROP TEMPORARY FUNCTION
# DescribeFunction
NOT_FOUND | main | function f | DESCRIBE FUNCTION f
NOT_SUPPORTED | main | upper is a function of Spark SQL | DESCRIBE FUNCTION upper
SYNTAX_ERROR | main | | DESCRIBE FUNCTION
# DescribeQuery
NOT_FOUND | main | table d.peple; Did you mean d.people | DESCRIBE QUERY SELECT * FROM d.peple
SYNTAX_ERROR | main | | DESCRIBE QUERY
# SetPartitionOverwrite
FORBIDDEN_STATEMENT | main | SET; partitionOverwriteMode | SET spark.sql.shuffle.partitions = 5
FORBIDDEN_STATEMENT | main | SET; partitionOverwriteMode | SET
INVALID_VALUE | main | STATIC or DYNAMIC | SET spark.sql.sources.partitionOverwriteMode = both
# AlterView
NOT_FOUND | main | view d.adult; Did you mean d.adults | ALTER VIEW d.adult AS SELECT 1 AS a
NOT_FOUND | main | table d.peple; Did you mean d.people | ALTER VIEW d.adults AS SELECT * FROM d.peple
INVALID_VALUE | main | d.people is a table; ALTER TABLE | ALTER VIEW d.people AS SELECT 1 AS a
NOT_SUPPORTED | transaction | transaction | ALTER VIEW d.adults AS SELECT 1 AS a
NOT_SUPPORTED | main | WITH SCHEMA; CAST | ALTER VIEW d.adults WITH SCHEMA BINDING
SYNTAX_ERROR | main | RENAME TO | ALTER VIEW d.adults
# RenameView
NOT_FOUND | main | view d.adult; Did you mean d.adults | ALTER VIEW d.adult RENAME TO d.fresh
ALREADY_EXISTS | main | table named d.people | ALTER VIEW d.adults RENAME TO people
NOT_FOUND | main | database dd; Did you mean d | ALTER VIEW d.adults RENAME TO dd.fresh
NOT_SUPPORTED | transaction | transaction | ALTER VIEW d.adults RENAME TO fresh
# SetViewProperties
NOT_FOUND | main | view d.adult; Did you mean d.adults | ALTER VIEW d.adult SET TBLPROPERTIES ('a' = 'b')
NOT_SUPPORTED | transaction | transaction | ALTER VIEW d.adults SET TBLPROPERTIES ('a' = 'b')
SYNTAX_ERROR | main | | ALTER VIEW d.adults SET TBLPROPERTIES
# UnsetViewProperties
PROPERTY_NOT_FOUND | main | no property 'a'; IF EXISTS | ALTER VIEW d.adults UNSET TBLPROPERTIES ('a')
NOT_SUPPORTED | transaction | transaction | ALTER VIEW d.adults UNSET TBLPROPERTIES ('a')
# DropView
NOT_FOUND | main | view d.adult; Did you mean d.adults | DROP VIEW d.adult
NOT_FOUND | main | view d.zzz; SHOW VIEWS | DROP VIEW d.zzz
NOT_FOUND | main | view d.people | DROP VIEW d.people
NOT_SUPPORTED | transaction | transaction | DROP VIEW d.adults
SYNTAX_ERROR | main | | DROP VIEW
# ShowViews
SYNTAX_ERROR | main | | SHOW VIEWS IN
# DescribeHistory
SYNTAX_ERROR | main | | DESCRIBE HISTORY
SYNTAX_ERROR | main | few | DESCRIBE HISTORY d.people LIMIT few
# ShowHistory
INVALID_VALUE | none | No catalog is chosen | SHOW HISTORY
NOT_FOUND | nobranch | branch nobranch | SHOW HISTORY
SYNTAX_ERROR | main | few | SHOW HISTORY LIMIT few
# ShowSegments
SYNTAX_ERROR | main | | SHOW SEGMENTS
# ShowQueries
SYNTAX_ERROR | main | Nothing more; NOW | SHOW QUERIES NOW

# CancelQuery
SYNTAX_ERROR | main | the id in quotes | CANCEL QUERY 5
INVALID_VALUE | main | is not the id of a query; SHOW QUERIES | CANCEL QUERY 'five'
NOT_FOUND | main | no query; SHOW QUERIES | CANCEL QUERY '6f9619ff-8b86-d011-b42d-00cf4fc964ff'

# ShowMerges
INVALID_VALUE | none | No catalog is chosen | SHOW MERGES
SYNTAX_ERROR | main | - | SHOW MERGES LIMIT -1
# ShowChanges
NOT_FOUND | main | version 999999 | SHOW CHANGES d.people FROM VERSION 1 TO VERSION 999999
NOT_FOUND | main | version 999999 | SHOW CHANGES d.people FROM VERSION 999999 TO VERSION 1
NOT_FOUND | main | table d.people; at version 1 | SHOW CHANGES d.people FROM VERSION 1 TO VERSION 1
SYNTAX_ERROR | main | | SHOW CHANGES d.people FROM VERSION 1
SYNTAX_ERROR | main | Expected VERSION, BRANCH or TAG | SHOW CHANGES d.people FROM 1 TO 2
SYNTAX_ERROR | main | Expected VERSION, BRANCH or TAG | SHOW CHANGES d.people FROM BRANCH main TO
NOT_FOUND | main | branch nowhere | SHOW CHANGES d.people FROM BRANCH nowhere TO BRANCH main
NOT_FOUND | main | tag main | SHOW CHANGES d.people FROM BRANCH main TO TAG main
INVALID_VALUE | main | catalog of the table; Write BRANCH main | SHOW CHANGES d.people FROM BRANCH c.main TO BRANCH main
# Select
INVALID_VALUE | main | current_user() takes no argument | SELECT current_user(1)
FORBIDDEN_STATEMENT | main | Write current_user() | SELECT current_user
NOT_FOUND | main | table d.peple; Did you mean d.people | SELECT * FROM table_changes('d.peple', 1)
NOT_FOUND | main | version 999 | SELECT * FROM table_changes('d.people', 999)
NOT_FOUND | main | branch nowhere | SELECT * FROM table_difference('d.people', 'nowhere', 'main')
NOT_SUPPORTED | main | d.adults is a view | SELECT * FROM table_changes('d.adults', 1)
INVALID_VALUE | main | takes a table and versions | SELECT * FROM table_changes('d.people')
INVALID_VALUE | main | no name of a table; as in FROM | SELECT * FROM table_changes('d.', 1)
INVALID_VALUE | main | constants | SELECT * FROM table_changes('d.people', 1 + 1)
FORBIDDEN_STATEMENT | main | is a table, no value | SELECT table_changes('d.people', 1)
NOT_FOUND | main | version 999999 | SELECT * FROM d.people VERSION AS OF 999999
NOT_FOUND | main | before its first | SELECT * FROM d.people TIMESTAMP AS OF '1999-01-01'
INVALID_VALUE | main | not a timestamp | SELECT * FROM d.people TIMESTAMP AS OF 'x'
NOT_FOUND | main | before its first | SELECT * FROM d.people TIMESTAMP AS OF date_sub(current_date(), 1)
INVALID_VALUE | main | counted from now in days; INTERVAL 1 DAY | SELECT * FROM d.people TIMESTAMP AS OF current_timestamp() - INTERVAL 1 MONTH
INVALID_VALUE | main | counted from now in days | SELECT p.* FROM d.sales s, d.people TIMESTAMP AS OF s.day p
INVALID_VALUE | main | counted from now in days | SELECT * FROM d.people TIMESTAMP AS OF 1 + 2
INVALID_VALUE | main | years 1 to 9999 | SELECT * FROM d.people TIMESTAMP AS OF date_sub(current_date(), 1000000)
INVALID_VALUE | main | by a number | SELECT * FROM d.people VERSION AS OF 1 + 2
FORBIDDEN_STATEMENT | main | reflect | SELECT reflect('java.lang.Runtime', 'getRuntime')
FORBIDDEN_STATEMENT | main | looks like a file; upload or import | SELECT * FROM parquet.`/etc/passwd`
SYNTAX_ERROR | main | | SELECT * FROM
SYNTAX_ERROR | main | ; | SELECT 1; SELECT 2
# Explain
NOT_SUPPORTED | main | EXPLAIN takes SELECT; DRY RUN | EXPLAIN SHOW TABLES
NOT_FOUND | main | table d.peple; Did you mean d.people | EXPLAIN DROP TABLE d.peple
NOT_SUPPORTED | main | EXPLAIN COST; FORMATTED | EXPLAIN COST SELECT 1
NOT_SUPPORTED | main | EXPLAIN ANALYZE takes a query, or a statement that writes rows; DRY RUN | EXPLAIN ANALYZE DROP TABLE d.people
NOT_SUPPORTED | main | EXPLAIN takes SELECT | EXPLAIN EXPLAIN SELECT 1
NOT_FOUND | main | table d.peple; Did you mean d.people | EXPLAIN DELETE FROM d.people WHERE id IN (SELECT id FROM d.peple)
FORBIDDEN_STATEMENT | main | reflect | EXPLAIN SELECT reflect('a', 'b')
SYNTAX_ERROR | main | | EXPLAIN
# Insert
FORBIDDEN_STATEMENT | main | reflect | INSERT INTO d.people VALUES (1, reflect('a', 'b'), 1)
NOT_FOUND | main | table d.peple; Did you mean d.people | INSERT INTO d.people SELECT * FROM d.peple
NOT_NULL_VIOLATION | main | id; NOT NULL | INSERT INTO d.people VALUES (NULL, 'a', 1)
NOT_NULL_VIOLATION | main | id; NOT NULL | INSERT INTO d.people (name) VALUES ('a')
DUPLICATE_KEY | main | d.keyed; Update the existing row | INSERT INTO d.keyed VALUES (1, 'again')
DUPLICATE_KEY | main | d.keyed | INSERT INTO d.keyed VALUES (7, 'a'), (7, 'b')
INVALID_VALUE | main | dya, which is no partition column of d.sales; Its partition columns are day | INSERT INTO d.sales PARTITION (dya = 'mon') SELECT * FROM d.sales
INVALID_VALUE | main | id, which is no partition column of d.sales | INSERT INTO d.sales PARTITION (id = 1) VALUES ('mon')
INVALID_VALUE | main | id, which is no partition column of d.people; Leave PARTITION out | INSERT INTO d.people PARTITION (id) SELECT * FROM d.people
INVALID_VALUE | main | dya, which is no partition column of d.sales | INSERT OVERWRITE d.sales PARTITION (dya = 'mon') SELECT * FROM d.sales
INVALID_VALUE | main | cntry, which is no partition column of d.regions | INSERT OVERWRITE d.regions PARTITION (cntry = 'de') VALUES (1, 'x')
SYNTAX_ERROR | main | | INSERT INTO d.people VALUES
SYNTAX_ERROR | main | INSERT | INSERT d.people
NOT_FOUND | main | table d.adults; is a view, which holds no rows | INSERT INTO d.adults VALUES (1, 'a', 1)
NOT_SUPPORTED | main | no VALUES; VALUES (1) AS s (id) | INSERT WITH SCHEMA EVOLUTION INTO d.people VALUES (1, 'a', 1)
NOT_SUPPORTED | main | no list of columns; the query names its columns | INSERT WITH SCHEMA EVOLUTION INTO d.people (id) SELECT 1 AS id
NOT_SUPPORTED | main | no PARTITION | INSERT WITH SCHEMA EVOLUTION OVERWRITE d.sales PARTITION (day = 'mon') SELECT 1 AS id, 2 AS amount
NOT_SUPPORTED | main | no REPLACE WHERE; ADD COLUMN | INSERT WITH SCHEMA EVOLUTION INTO d.people REPLACE WHERE id = 1 SELECT 1 AS id, 'a' AS name, 1 AS age
SYNTAX_ERROR | main | INTO | INSERT WITH SCHEMA EVOLUTION d.people SELECT 1 AS id
NOT_SUPPORTED | main | INSERT IGNORE; MERGE INTO | INSERT IGNORE INTO d.people VALUES (1, 'a', 1)
NOT_SUPPORTED | main | REPLACE INTO; MERGE INTO | REPLACE INTO d.people VALUES (1, 'a', 1)
# Delete
FORBIDDEN_STATEMENT | main | rand; answers differently | DELETE FROM d.people WHERE rand() < 0.5
FORBIDDEN_STATEMENT | main | reflect | DELETE FROM d.people WHERE reflect('a', 'b') = 'x'
SYNTAX_ERROR | main | | DELETE FROM d.people WHERE
SYNTAX_ERROR | main | DELETE | DELETE d.people
NOT_FOUND | main | table d.adults; d.adults is a view | DELETE FROM d.adults
NOT_SUPPORTED | main | DELETE .. USING; MERGE INTO | DELETE FROM d.people p USING d.sales s WHERE p.id = s.id
# Update
NOT_NULL_VIOLATION | main | id | UPDATE d.people SET id = NULL
DUPLICATE_KEY | main | d.keyed | UPDATE d.keyed SET id = 1 WHERE id = 2
FORBIDDEN_STATEMENT | main | reflect | UPDATE d.people SET name = reflect('a', 'b')
SYNTAX_ERROR | main | | UPDATE d.people SET
SYNTAX_ERROR | main | WHERE | UPDATE d.people WHERE id = 1
NOT_FOUND | main | table d.adults; is a view, which holds no rows | UPDATE d.adults SET name = 'a'
NOT_SUPPORTED | main | UPDATE .. FROM; MERGE INTO | UPDATE d.people SET name = 'a' FROM d.sales WHERE d.sales.id = d.people.id
# MergeInto
NOT_FOUND | main | table d.sale; Did you mean d.sales | MERGE INTO d.people t USING d.sale s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | table d.peple; Did you mean d.people | MERGE INTO d.peple t USING d.sales s ON t.id = s.id WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | A query stands in parentheses, as in USING (VALUES ..) AS s | MERGE INTO d.people t USING VALUES (1) AS s(id) ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | table d.nothing | MERGE INTO d.people t USING (SELECT id FROM d.nothing) s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | version 999999 | MERGE INTO d.people t USING d.people VERSION AS OF 999999 s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | before its first | MERGE INTO d.people t USING d.people TIMESTAMP AS OF '1999-01-01' s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | branch devv; Did you mean dev | MERGE INTO d.people t USING d.`people@devv` s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | d.adults | MERGE INTO d.adults t USING d.people s ON t.id = s.id WHEN MATCHED THEN DELETE
NOT_FOUND | main | column nam | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nam = 'a'
NOT_FOUND | main | column nam | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, nam) VALUES (s.id, 'a')
CARDINALITY | main | more than one row | MERGE INTO d.people t USING d.keyed s ON t.id > 0 AND s.id > 0 WHEN MATCHED THEN UPDATE SET age = 0
NOT_NULL_VIOLATION | main | id; NOT NULL | MERGE INTO d.people t USING d.keyed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = NULL
NOT_NULL_VIOLATION | main | id; NOT NULL | MERGE INTO d.people t USING d.keyed s ON t.id = s.id + 9 WHEN NOT MATCHED THEN INSERT (name) VALUES (s.name)
DUPLICATE_KEY | main | d.keyed; Update the existing row | MERGE INTO d.keyed t USING d.people s ON t.id = s.id + 9 WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'again')
DUPLICATE_KEY | main | d.keyed | MERGE INTO d.keyed t USING d.people s ON t.id = s.id WHEN MATCHED THEN UPDATE SET id = 2
INVALID_VALUE | main | source has no column age; Name the columns | MERGE INTO d.people t USING d.keyed s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *
INVALID_VALUE | main | source has no column age; Name the columns | MERGE INTO d.people t USING d.keyed s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *
INVALID_VALUE | main | both called people; alias | MERGE INTO d.people USING d.people ON true WHEN MATCHED THEN DELETE
INVALID_VALUE | main | both called x | MERGE INTO d.people x USING d.sales x ON true WHEN MATCHED THEN DELETE
INVALID_VALUE | main | NAME is assigned twice | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'a', NAME = 'b'
INVALID_VALUE | main | id is named twice | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, id) VALUES (1, 2)
INVALID_VALUE | main | no source row; t only | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED BY SOURCE AND s.day = 'mon' THEN DELETE
NOT_SUPPORTED | main | aggregate max; MERGE INTO takes one | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET age = max(s.id)
NOT_SUPPORTED | main | A window | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET age = row_number() OVER (ORDER BY s.id)
NOT_SUPPORTED | main | A condition of MERGE INTO takes no subquery; USING (SELECT | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED AND s.id > (SELECT max(id) FROM d.sales) THEN DELETE
NOT_SUPPORTED | main | A condition of MERGE INTO takes no subquery | MERGE INTO d.people t USING d.sales s ON t.id IN (SELECT id FROM d.sales) WHEN MATCHED THEN DELETE
NOT_SUPPORTED | main | t.id is of the target; another alias | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET age = (SELECT max(x.id) FROM d.sales x WHERE x.id = t.id)
NOT_SUPPORTED | main | t.id is of the target | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = CASE WHEN t.id IN (SELECT id FROM d.sales) THEN 'x' END
NOT_SUPPORTED | main | NOT MATCHED BY SOURCE takes no subquery | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET age = (SELECT 1)
NOT_SUPPORTED | main | WITH SCHEMA EVOLUTION take no subqueries | MERGE WITH SCHEMA EVOLUTION INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET age = (SELECT 1)
NOT_SUPPORTED | main | A subquery in this place of a value | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = CASE WHEN s.id > ANY (SELECT 1) THEN 'x' END
NOT_FOUND | main | table d.nothing | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET age = (SELECT max(id) FROM d.nothing)
INVALID_VALUE | main | name is string; as a whole | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET t.name.first = 'a'
NOT_FOUND | main | no column s | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s.name = 'a'
FORBIDDEN_STATEMENT | main | rand; answers differently | MERGE INTO d.people t USING d.sales s ON t.id = s.id AND rand() < 0.5 WHEN MATCHED THEN DELETE
FORBIDDEN_STATEMENT | main | reflect | MERGE INTO d.people t USING (SELECT reflect('a', 'b') AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE
FORBIDDEN_STATEMENT | main | reflect | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (reflect('a', 'b'))
FORBIDDEN_STATEMENT | main | looks like a file; upload or import | MERGE INTO d.people t USING parquet.`/etc/passwd` s ON true WHEN MATCHED THEN DELETE
INVALID_VALUE | main | source, which has no name; AS s USING (id) | MERGE INTO d.people t USING (SELECT * FROM d.sales) USING (id) WHEN MATCHED THEN DELETE
INVALID_VALUE | main | id twice | MERGE INTO d.people t USING d.sales s USING (id, ID) WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | column name | MERGE INTO d.people t USING d.sales s USING () WHEN MATCHED THEN DELETE
NOT_FOUND | main | column nam; Did you mean name | MERGE INTO d.people t USING d.sales s USING (id) WHEN MATCHED THEN DELETE RETURNING merge_action, nam
NOT_SUPPORTED | main | merge_action, * and names; SHOW CHANGES | MERGE INTO d.people t USING d.sales s USING (id) WHEN MATCHED THEN DELETE RETURNING t.id + 1
NOT_SUPPORTED | main | merge_action, * and names | MERGE INTO d.people t USING d.sales s USING (id) WHEN MATCHED THEN DELETE RETURNING
NOT_SUPPORTED | main | UPDATE SET * | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE *
NOT_SUPPORTED | main | UPDATE SET * | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN UPDATE BY NAME
NOT_SUPPORTED | main | BY NAME; every column | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT BY NAME (id) VALUES (s.id)
NOT_SUPPORTED | main | not by their places; INSERT BY NAME | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT BY POSITION
NOT_SUPPORTED | main | not by their places | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'a', 1)
SYNTAX_ERROR | main | WHEN MATCHED or WHEN NOT MATCHED | MERGE INTO d.people t USING d.sales s ON t.id = s.id
SYNTAX_ERROR | main | ON | MERGE INTO d.people t USING d.sales s WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | WHEN | MERGE INTO d.people t USING d.sales s ON WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | USING | MERGE INTO d.people t ON true WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | INSERT | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN INSERT *
SYNTAX_ERROR | main | DELETE | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN DELETE
SYNTAX_ERROR | main | no source row | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *
SYNTAX_ERROR | main | 2 columns and 1 value | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (1)
SYNTAX_ERROR | main | Only the last clause | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN DELETE
SYNTAX_ERROR | main | whatever | MERGE INTO d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN DELETE whatever
SYNTAX_ERROR | main | MERGE | MERGE d.people t USING d.sales s ON t.id = s.id WHEN MATCHED THEN DELETE
# CopyInto
PERMISSION_DENIED | main | /x may not be read by statements | COPY INTO d.people FROM '/x' FILEFORMAT = CSV
PERMISSION_DENIED | main | LAKEUI_IMPORT_LOCATIONS | COPY INTO d.people FROM '/' FILEFORMAT = JSON
NOT_SUPPORTED | main | header; JSON takes none | COPY INTO d.people FROM '/x' FILEFORMAT = JSON FORMAT_OPTIONS ('header' = 'true')
SYNTAX_ERROR | main | PARQUET, CSV or JSON | COPY INTO d.people FROM '/x' FILEFORMAT = AVRO
# Truncate
SYNTAX_ERROR | main | | TRUNCATE TABLE
# Optimize
INVALID_VALUE | main | id is no partition column | OPTIMIZE d.sales WHERE day = 'mon' AND id = 1
INVALID_VALUE | main | name is no partition column | OPTIMIZE d.people WHERE name LIKE 'a%'
NOT_FOUND | main | column idd; Did you mean id | OPTIMIZE d.sales ZORDER BY (idd)
INVALID_VALUE | main | twice | OPTIMIZE d.sales ZORDER BY (id, ID)
# Otherwise
INVALID_VALUE | main | no dry run | EXPLAIN DELETE FROM d.people DRY RUN
NOT_SUPPORTED | main | SELECT TOP; LIMIT n | SELECT TOP 5 id FROM d.people
NOT_SUPPORTED | main | FETCH FIRST; LIMIT n | SELECT id FROM d.people FETCH FIRST 5 ROWS ONLY
NOT_SUPPORTED | main | RETURNING; SHOW CHANGES | DELETE FROM d.people WHERE id = 1 RETURNING id
NOT_SUPPORTED | main | ON CONFLICT; MERGE INTO | INSERT INTO d.people VALUES (1, 'a', 1) ON CONFLICT DO NOTHING
NOT_SUPPORTED | main | LIMIT; condition | UPDATE d.people SET age = 1 LIMIT 1
NOT_SUPPORTED | main | USING; MERGE INTO | DELETE FROM d.people USING d.sales WHERE people.id = sales.id
NOT_SUPPORTED | main | COLLATE; in the query | CREATE TABLE d.fresh (s STRING COLLATE UTF8_LCASE)
NOT_SUPPORTED | main | AUTO; Name the columns | ALTER TABLE d.people CLUSTER BY AUTO
NOT_SUPPORTED | main | FULL; ZORDER BY | OPTIMIZE d.people FULL
NOT_SUPPORTED | main | JSON; EXTENDED | DESCRIBE d.people AS JSON
NOT_SUPPORTED | main | whole catalog; CREATE BRANCH | ALTER TABLE d.people CREATE BRANCH b
NOT_SUPPORTED | main | WRITE; CLUSTER BY | ALTER TABLE d.people WRITE ORDERED BY id
NOT_SUPPORTED | main | SHOW LOCKS; SHOW QUERIES | SHOW LOCKS
NOT_SUPPORTED | main | CREATE INDEX; ZORDER BY | CREATE INDEX i ON d.people (id)
NOT_SUPPORTED | main | CREATE TASK; pipeline | CREATE TASK t SCHEDULE '1 minute' AS SELECT 1
SYNTAX_ERROR | main | SELEKT; begins | SELEKT 1
SYNTAX_ERROR | main | | /* nothing */
FORBIDDEN_STATEMENT | main | IDENTIFIER is not allowed; Write the name itself | SELECT id FROM IDENTIFIER('d.people')
FORBIDDEN_STATEMENT | main | SET; managed tables | SET spark.sql.ansi.enabled = false
FORBIDDEN_STATEMENT | main | ADD; managed tables | ADD JAR '/x.jar'
FORBIDDEN_STATEMENT | main | CREATE FUNCTION | CREATE FUNCTION f AS 'a.b.C'
