-- Rows that keep their values make no version
CREATE TABLE d.t (k int, v string, x double, m map<string,timestamp>);
INSERT INTO d.t VALUES (1, 'a', DOUBLE('NaN'), map('p', TIMESTAMP'2024-01-01 00:00:00.000001')), (2, NULL, 0.0D, NULL);
TRY UPDATE d.t AS t SET v = t.v WHERE t.k = 1;
-- no version
TRY UPDATE d.t AS t SET v = 'a' WHERE t.k = 1;
-- no version
TRY UPDATE d.t AS t SET x = DOUBLE('NaN') WHERE t.k = 1;
-- no version
TRY UPDATE d.t AS t SET v = NULL WHERE t.k = 2;
-- no version
TRY UPDATE d.t AS t SET x = -0.0D WHERE t.k = 2;
-- columns: k int, v string, x double, m map<string,timestamp>
-- [1, 'a', 'NaN', {'p': '2024-01-01T00:00:00.000001Z'}]
-- [2, None, -0.0, None]
TRY UPDATE d.t AS t SET m = map('p', TIMESTAMP'2024-01-01 00:00:00.000001') WHERE t.k = 1;
-- no version
TRY UPDATE d.t AS t SET m = map('p', TIMESTAMP'2024-01-01 00:00:00.000002') WHERE t.k = 1;
-- columns: k int, v string, x double, m map<string,timestamp>
-- [1, 'a', 'NaN', {'p': '2024-01-01T00:00:00.000002Z'}]
-- [2, None, 0.0, None]
TRY MERGE INTO d.t AS t USING d.t AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *;
-- no version
TRY MERGE INTO d.t AS t USING (SELECT 1 AS k, map('p', TIMESTAMP'2024-01-01 00:00:00.000002') AS m) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET m = s.m;
-- columns: k int, v string, x double, m map<string,timestamp>
-- [1, 'a', 'NaN', {'p': '2024-01-01T00:00:00.000002Z'}]
-- [2, None, 0.0, None]
TRY DELETE FROM d.t AS t WHERE t.k = 9;
-- no version
TRY INSERT INTO d.t SELECT * FROM d.t AS t WHERE t.k = 9;
-- no version

-- Maps with timestamps are compared whole, at every depth
CREATE TABLE d.t (k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>);
INSERT INTO d.t VALUES (1, array(map('p', TIMESTAMP'2024-01-01 00:00:00.000001')), named_struct('m', map('p', TIMESTAMP'2024-01-01 00:00:00.000001')), map('q', map('p', TIMESTAMP'2024-01-01 00:00:00.000001')));
TRY UPDATE d.t AS t SET a = array(map('p', TIMESTAMP'2024-01-01 00:00:00.000002')) WHERE t.k = 1;
-- columns: k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>
-- [1, [{'p': '2024-01-01T00:00:00.000002Z'}], {'m': {'p': '2024-01-01T00:00:00.000001Z'}}, {'q': {'p': '2024-01-01T00:00:00.000001Z'}}]
TRY UPDATE d.t AS t SET s = named_struct('m', map('p', TIMESTAMP'2024-01-01 00:00:00.000002')) WHERE t.k = 1;
-- columns: k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>
-- [1, [{'p': '2024-01-01T00:00:00.000001Z'}], {'m': {'p': '2024-01-01T00:00:00.000002Z'}}, {'q': {'p': '2024-01-01T00:00:00.000001Z'}}]
TRY UPDATE d.t AS t SET mm = map('q', map('p', TIMESTAMP'2024-01-01 00:00:00.000002')) WHERE t.k = 1;
-- columns: k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>
-- [1, [{'p': '2024-01-01T00:00:00.000001Z'}], {'m': {'p': '2024-01-01T00:00:00.000001Z'}}, {'q': {'p': '2024-01-01T00:00:00.000002Z'}}]
TRY MERGE INTO d.t AS t USING (SELECT 1 AS k, named_struct('m', map('p', TIMESTAMP'2024-01-01 00:00:00.000002')) AS s) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET s = s.s;
-- columns: k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>
-- [1, [{'p': '2024-01-01T00:00:00.000001Z'}], {'m': {'p': '2024-01-01T00:00:00.000002Z'}}, {'q': {'p': '2024-01-01T00:00:00.000001Z'}}]
ASK SELECT * FROM d.t AS t;
-- columns: k int, a array<map<string,timestamp>>, s struct<m:map<string,timestamp>>, mm map<string,map<string,timestamp>>
-- [1, [{'p': '2024-01-01T00:00:00.000001Z'}], {'m': {'p': '2024-01-01T00:00:00.000001Z'}}, {'q': {'p': '2024-01-01T00:00:00.000001Z'}}]

-- Days beyond the year 9999
CREATE TABLE d.t (k date, v int);
INSERT INTO d.t VALUES (DATE'9999-12-31', 1), (date_add(DATE'9999-12-31', 1), 2);
ASK SELECT * FROM d.t AS t;
-- columns: k date, v int
-- ['10000-01-01', 2]
-- ['9999-12-31', 1]
TRY MERGE INTO d.t AS t USING (SELECT date_add(DATE'9999-12-31', 1) AS k) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 3 WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 4);
-- columns: k date, v int
-- ['10000-01-01', 3]
-- ['9999-12-31', 1]
TRY DELETE FROM d.t AS t WHERE t.k > DATE'9999-12-31';
-- columns: k date, v int
-- ['9999-12-31', 1]

-- The smallest literals of the types, and bytes that are no text
CREATE TABLE d.t (k int, b tinyint, s smallint, l bigint);
INSERT INTO d.t VALUES (1, 0Y, 0S, 0L);
ASK SELECT -128Y AS b, -32768S AS s, -2147483648 AS i, -9223372036854775808L AS l;
-- columns: b tinyint, s smallint, i int, l bigint
-- [-128, -32768, -2147483648, -9223372036854775808]
ASK SELECT CAST(X'FF' AS STRING) AS v;
-- columns: v string
-- ['�']
ASK SELECT array(CAST(X'61FF' AS STRING)) AS v;
-- columns: v array<string>
-- [['a�']]
TRY UPDATE d.t AS t SET b = -128Y, s = -32768S, l = -9223372036854775808L WHERE t.k = 1;
-- columns: k int, b tinyint, s smallint, l bigint
-- [1, -128, -32768, -9223372036854775808]
TRY INSERT INTO d.t VALUES (2, -128Y, -32768S, -9223372036854775808L);
-- columns: k int, b tinyint, s smallint, l bigint
-- [1, 0, 0, 0]
-- [2, -128, -32768, -9223372036854775808]
TRY DELETE FROM d.t AS t WHERE t.l >= -9223372036854775808L;
-- columns: k int, b tinyint, s smallint, l bigint
ASK SELECT -0.0D AS z, -128Y AS b;
-- columns: z double, b tinyint
-- [-0.0, -128]
ASK SELECT -0.0F AS z, - 1.5D AS x, -9223372036854775808L AS l;
-- columns: z float, x double, l bigint
-- [-0.0, -1.5, -9223372036854775808]
