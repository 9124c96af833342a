-- CHAR is compared as if the shorter text were padded
CREATE TABLE d.t (k int, c char(5));
INSERT INTO d.t VALUES (1, 'x'), (2, 'y'), (3, NULL);
CREATE TABLE d.u (c char(3), v int);
INSERT INTO d.u VALUES ('x', 10);
ASK SELECT t.k AS k FROM d.t AS t WHERE t.c = 'x';
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.c IN ('x', 'z');
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE 'x  ' <=> t.c;
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.c < 'y';
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t JOIN d.u AS s ON t.c = s.c;
-- columns: k int
-- [1]
ASK SELECT t.c AS c, length(t.c) AS n FROM d.t AS t;
-- columns: c string, n int
-- ['x    ', 5]
-- ['y    ', 5]
-- [None, None]
TRY DELETE FROM d.t AS t WHERE t.c = 'x';
-- columns: k int, c string
-- [2, 'y    ']
-- [3, None]
TRY UPDATE d.t AS t SET k = 5 WHERE t.c = 'x';
-- columns: k int, c string
-- [2, 'y    ']
-- [3, None]
-- [5, 'x    ']
TRY UPDATE d.t AS t SET k = 5 WHERE t.c IN ('x', 'q');
-- columns: k int, c string
-- [2, 'y    ']
-- [3, None]
-- [5, 'x    ']
TRY MERGE INTO d.t AS t USING (SELECT 'x' AS c) AS s ON t.c = s.c WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (k, c) VALUES (2, s.c);
-- columns: k int, c string
-- [1, 'x    ']
-- [2, 'x    ']
-- [2, 'y    ']
-- [3, None]
TRY MERGE INTO d.t AS t USING d.u AS s ON t.c = s.c WHEN MATCHED THEN UPDATE SET k = s.v WHEN NOT MATCHED THEN INSERT (k, c) VALUES (s.v, s.c);
-- columns: k int, c string
-- [10, 'x    ']
-- [2, 'y    ']
-- [3, None]

-- CHAR and VARCHAR inside of structs, arrays and maps are padded and limited
CREATE TABLE d.t (k int, s struct<c:char(3)>, a array<char(3)>, v array<varchar(2)>);
INSERT INTO d.t VALUES (1, named_struct('c', 'x'), array('y'), array('ab'));
ASK SELECT * FROM d.t AS t;
-- columns: k int, s struct<c:string>, a array<string>, v array<string>
-- [1, {'c': 'x  '}, ['y  '], ['ab']]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.c = 'x';
-- columns: k int
TRY INSERT INTO d.t VALUES (2, named_struct('c', 'long text'), NULL, NULL);
-- refused: SparkRuntimeException [EXCEED_LIMIT_LENGTH] Exceeds char/varchar type length limitation: 3. SQLSTATE: 54006
TRY INSERT INTO d.t VALUES (2, NULL, NULL, array('abc'));
-- refused: SparkRuntimeException [EXCEED_LIMIT_LENGTH] Exceeds char/varchar type length limitation: 2. SQLSTATE: 54006
TRY UPDATE d.t AS t SET a = array('z') WHERE t.k = 1;
-- columns: k int, s struct<c:string>, a array<string>, v array<string>
-- [1, {'c': 'x  '}, ['z  '], ['ab']]
