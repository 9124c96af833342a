-- One field of a struct is read, compared and joined
CREATE TABLE d.t (k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>);
INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', 'z'), array(named_struct('k', 7, 'n', 'p')), map('k', named_struct('a', 1, 'b', 2)));
INSERT INTO d.t SELECT 2, named_struct('x', 2, 'y', 'zz'), array(named_struct('k', 8, 'n', 'q')), map('k', named_struct('a', 3, 'b', 4));
ASK SELECT t.s.x AS x FROM d.t AS t;
-- columns: x int
-- [1]
-- [2]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.x = 1;
-- columns: k int
-- [1]
ASK SELECT count(*) AS n FROM d.t AS t WHERE t.s.x IS NULL;
-- columns: n bigint
-- [0]
ASK SELECT e.v.k AS v FROM d.t AS t LATERAL VIEW explode(t.a) e AS v;
-- columns: v int
-- [7]
-- [8]
ASK SELECT get(t.a, 0).k AS k, transform(t.a, z -> z.n) AS n, t.m['k'].a AS a FROM d.t AS t;
-- columns: k int, n array<string>, a int
-- [7, ['p'], 1]
-- [8, ['q'], 3]
ASK SELECT t.k AS k, s.k AS other FROM d.t AS t JOIN d.t AS s ON t.s.x = s.s.x;
-- columns: k int, other int
-- [1, 1]
-- [2, 2]
TRY DELETE FROM d.t AS t WHERE t.s.x IS NULL;
-- no version
TRY DELETE FROM d.t AS t WHERE t.s.x = 1;
-- columns: k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>
-- [2, {'x': 2, 'y': 'zz'}, [{'k': 8, 'n': 'q'}], {'k': {'a': 3, 'b': 4}}]
TRY DELETE FROM d.t AS t WHERE t.s.y = 'zz';
-- columns: k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>
-- [1, {'x': 1, 'y': 'z'}, [{'k': 7, 'n': 'p'}], {'k': {'a': 1, 'b': 2}}]
TRY UPDATE d.t AS t SET k = 5 WHERE t.s.x IS NULL;
-- no version
TRY UPDATE d.t AS t SET k = 5 WHERE t.s.x = 1;
-- columns: k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>
-- [2, {'x': 2, 'y': 'zz'}, [{'k': 8, 'n': 'q'}], {'k': {'a': 3, 'b': 4}}]
-- [5, {'x': 1, 'y': 'z'}, [{'k': 7, 'n': 'p'}], {'k': {'a': 1, 'b': 2}}]
TRY UPDATE d.t AS t SET s = named_struct('x', t.s.x + 1, 'y', 'u') WHERE t.s.x = 1;
-- columns: k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>
-- [1, {'x': 2, 'y': 'u'}, [{'k': 7, 'n': 'p'}], {'k': {'a': 1, 'b': 2}}]
-- [2, {'x': 2, 'y': 'zz'}, [{'k': 8, 'n': 'q'}], {'k': {'a': 3, 'b': 4}}]
TRY INSERT INTO d.t BY NAME SELECT t.k + 10 AS k, named_struct('x', t.s.x, 'y', 'copy') AS s FROM d.t AS t;
-- columns: k int, s struct<x:int,y:string>, a array<struct<k:int,n:string>>, m map<string,struct<a:int,b:int>>
-- [1, {'x': 1, 'y': 'z'}, [{'k': 7, 'n': 'p'}], {'k': {'a': 1, 'b': 2}}]
-- [11, {'x': 1, 'y': 'copy'}, None, None]
-- [12, {'x': 2, 'y': 'copy'}, None, None]
-- [2, {'x': 2, 'y': 'zz'}, [{'k': 8, 'n': 'q'}], {'k': {'a': 3, 'b': 4}}]

-- Fields of structs go by name, by position only in a positional INSERT
CREATE TABLE d.t (k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>);
INSERT INTO d.t VALUES (1, named_struct('a', 'A', 'b', 'B'), array());
CREATE TABLE d.u (k int, l array<struct<b:string,a:string>>, s struct<b:string,a:string>);
INSERT INTO d.u VALUES (1, array(named_struct('b', 'B1', 'a', 'A1')), named_struct('b', 'B1', 'a', 'A1')), (2, NULL, named_struct('b', 'B2', 'a', 'A2'));
TRY INSERT INTO d.t BY NAME SELECT named_struct('b', 'B2', 'a', 'A2') AS s, 2 AS k;
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A', 'b': 'B'}, []]
-- [2, {'a': 'A2', 'b': 'B2'}, None]
TRY INSERT INTO d.t BY NAME SELECT array(named_struct('b', 'B2', 'a', 'A2')) AS l, 2 AS k;
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A', 'b': 'B'}, []]
-- [2, None, [{'a': 'A2', 'b': 'B2'}]]
TRY INSERT INTO d.t VALUES (2, named_struct('b', 'first', 'a', 'second'), NULL);
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A', 'b': 'B'}, []]
-- [2, {'a': 'first', 'b': 'second'}, None]
TRY UPDATE d.t AS t SET s = named_struct('b', 'B2', 'a', 'A2') WHERE t.k = 1;
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A2', 'b': 'B2'}, []]
TRY MERGE INTO d.t AS t USING d.u AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A1', 'b': 'B1'}, [{'a': 'A1', 'b': 'B1'}]]
-- [2, {'a': 'A2', 'b': 'B2'}, None]
TRY MERGE INTO d.t AS t USING d.u AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s = s.s WHEN NOT MATCHED THEN INSERT (k, s) VALUES (s.k, s.s);
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'A1', 'b': 'B1'}, []]
-- [2, {'a': 'A2', 'b': 'B2'}, None]
TRY UPDATE d.t AS t SET s.a = 'set' WHERE t.k = 1;
-- columns: k int, s struct<a:string,b:string>, l array<struct<a:string,b:string>>
-- [1, {'a': 'set', 'b': 'B'}, []]

-- Fields are added, renamed, dropped, moved and widened at every depth
CREATE TABLE d.t (k int, s struct<x:int,y:struct<p:int,q:string>>, a array<struct<k:int,n:string>>, m map<string,struct<v:int,w:int>>, l array<int>);
INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', named_struct('p', 2, 'q', 'three')), array(named_struct('k', 4, 'n', 'five')), map('six', named_struct('v', 7, 'w', 8)), array(9));
ALTER TABLE d.t ADD COLUMN s.z string;
ALTER TABLE d.t RENAME COLUMN s.y.p TO r;
ALTER TABLE d.t ALTER COLUMN s.x TYPE bigint;
ALTER TABLE d.t DROP COLUMN a.element.n;
ALTER TABLE d.t ALTER COLUMN m.value.w FIRST;
ALTER TABLE d.t ALTER COLUMN l.element TYPE bigint;
INSERT INTO d.t VALUES (2, named_struct('x', 2147483648L, 'y', NULL, 'z', 'new'), array(named_struct('k', 5)), NULL, array(2147483648L));
ASK SELECT * FROM d.t AS t;
-- columns: k int, s struct<x:bigint,y:struct<r:int,q:string>,z:string>, a array<struct<k:int>>, m map<string,struct<w:int,v:int>>, l array<bigint>
-- [1, {'x': 1, 'y': {'q': 'three', 'r': 2}, 'z': None}, [{'k': 4}], {'six': {'v': 7, 'w': 8}}, [9]]
-- [2, {'x': 2147483648, 'y': None, 'z': 'new'}, [{'k': 5}], None, [2147483648]]
ASK SELECT t.s.y.r AS r, get(t.a, 0).k AS k, t.m['six'].v AS v FROM d.t AS t WHERE t.s.z IS NULL;
-- columns: r int, k int, v int
-- [2, 4, 7]
TRY UPDATE d.t AS t SET s = named_struct('z', 'n', 'y', t.s.y, 'x', 3) WHERE t.s.y.q = 'three';
-- columns: k int, s struct<x:bigint,y:struct<r:int,q:string>,z:string>, a array<struct<k:int>>, m map<string,struct<w:int,v:int>>, l array<bigint>
-- [1, {'x': 3, 'y': {'q': 'three', 'r': 2}, 'z': 'n'}, [{'k': 4}], {'six': {'v': 7, 'w': 8}}, [9]]
-- [2, {'x': 2147483648, 'y': None, 'z': 'new'}, [{'k': 5}], None, [2147483648]]
TRY DELETE FROM d.t AS t WHERE t.s.z = 'new';
-- columns: k int, s struct<x:bigint,y:struct<r:int,q:string>,z:string>, a array<struct<k:int>>, m map<string,struct<w:int,v:int>>, l array<bigint>
-- [1, {'x': 1, 'y': {'q': 'three', 'r': 2}, 'z': None}, [{'k': 4}], {'six': {'v': 7, 'w': 8}}, [9]]

-- Fields that take each other's names are compared as what they are now
CREATE TABLE d.t (k int, s struct<x:int,y:int>);
INSERT INTO d.t VALUES (1, named_struct('x', 1, 'y', 100)), (2, named_struct('x', 2, 'y', 200));
ALTER TABLE d.t RENAME COLUMN s.x TO w;
ALTER TABLE d.t RENAME COLUMN s.y TO x;
ALTER TABLE d.t RENAME COLUMN s.w TO y;
INSERT INTO d.t VALUES (3, named_struct('x', 5, 'y', 300));
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.x = 100;
-- columns: k int
-- [1]
ASK SELECT t.k AS k, t.s.y AS y FROM d.t AS t WHERE t.s.x >= 5;
-- columns: k int, y int
-- [1, 1]
-- [2, 2]
-- [3, 5]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.y IN (2, 300);
-- columns: k int
-- [2]
TRY DELETE FROM d.t AS t WHERE t.s.x = 100;
-- columns: k int, s struct<y:int,x:int>
-- [2, {'x': 200, 'y': 2}]
-- [3, {'x': 300, 'y': 5}]
TRY UPDATE d.t AS t SET k = t.k + 10 WHERE t.s.y < 2;
-- columns: k int, s struct<y:int,x:int>
-- [11, {'x': 100, 'y': 1}]
-- [2, {'x': 200, 'y': 2}]
-- [3, {'x': 300, 'y': 5}]

-- Elements that are all NULL
CREATE TABLE d.t (k int, a array<smallint>, s struct<a:array<string>>, m map<int,date>);
INSERT INTO d.t VALUES (1, array(CAST(NULL AS smallint)), named_struct('a', array(CAST(NULL AS string))), map(1, CAST(NULL AS date)));
ASK SELECT t.k AS k FROM d.t AS t WHERE exists(t.a, e -> e IS NULL);
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE exists(t.s.a, e -> e IS NULL);
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE exists(map_values(t.m), e -> e IS NULL);
-- columns: k int
-- [1]
