-- A decimal is compared with texts as a number
CREATE TABLE d.t (k int, amount decimal(10,2));
INSERT INTO d.t VALUES (1, 9.00), (2, 9.50), (3, 10.00);
INSERT INTO d.t VALUES (4, 20.00), (5, 100.00);
ASK SELECT t.k AS k FROM d.t AS t WHERE t.amount = '9.5';
-- columns: k int
-- [2]
TRY UPDATE d.t AS t SET k = 50 WHERE t.amount = '9.5';
-- columns: k int, amount decimal(10,2)
-- [1, '9.00']
-- [3, '10.00']
-- [4, '20.00']
-- [5, '100.00']
-- [50, '9.50']
TRY DELETE FROM d.t AS t WHERE t.amount BETWEEN '9' AND '9.99';
-- columns: k int, amount decimal(10,2)
-- [3, '10.00']
-- [4, '20.00']
-- [5, '100.00']
TRY DELETE FROM d.t AS t WHERE t.amount IN ('9.5');
-- columns: k int, amount decimal(10,2)
-- [1, '9.00']
-- [3, '10.00']
-- [4, '20.00']
-- [5, '100.00']
TRY DELETE FROM d.t AS t WHERE t.amount >= '20';
-- columns: k int, amount decimal(10,2)
-- [1, '9.00']
-- [2, '9.50']
-- [3, '10.00']
TRY MERGE INTO d.t AS t USING (SELECT 2 AS k) AS s ON t.amount = '9.5' WHEN MATCHED THEN UPDATE SET k = 50 WHEN NOT MATCHED THEN INSERT (k, amount) VALUES (s.k, 9.5);
-- columns: k int, amount decimal(10,2)
-- [1, '9.00']
-- [3, '10.00']
-- [4, '20.00']
-- [5, '100.00']
-- [50, '9.50']
TRY MERGE INTO d.t AS t USING (SELECT 2 AS k) AS s ON t.k = s.k WHEN NOT MATCHED BY SOURCE AND t.amount >= '20' THEN DELETE;
-- columns: k int, amount decimal(10,2)
-- [1, '9.00']
-- [2, '9.50']
-- [3, '10.00']

-- A text is compared with a date as a date
CREATE TABLE d.t (k int, day string);
INSERT INTO d.t VALUES (1, '2024-01-10'), (2, '2024-1-5'), (3, '2024-12-31');
ASK SELECT t.k AS k FROM d.t AS t WHERE t.day = DATE'2024-01-05';
-- columns: k int
-- [2]
TRY UPDATE d.t AS t SET k = 50 WHERE t.day = DATE'2024-01-05';
-- columns: k int, day string
-- [1, '2024-01-10']
-- [3, '2024-12-31']
-- [50, '2024-1-5']
TRY DELETE FROM d.t AS t WHERE t.day < DATE'2024-01-07';
-- columns: k int, day string
-- [1, '2024-01-10']
-- [3, '2024-12-31']

-- A double is compared with a whole number as a double
CREATE TABLE d.t (k double, v int);
INSERT INTO d.t VALUES (9007199254740992D, 1);
TRY MERGE INTO d.t AS t USING (SELECT 9007199254740993L AS k) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 2 WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, 3);
-- columns: k double, v int
-- [9007199254740992.0, 2]
TRY DELETE FROM d.t AS t WHERE t.k = 9007199254740993L;
-- columns: k double, v int

-- Days and times are compared with texts in any of their spellings
CREATE TABLE d.t (k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float);
INSERT INTO d.t VALUES (1, DATE'2024-01-05', TIMESTAMP'2024-01-05 00:00:00', TIMESTAMP_NTZ'2024-01-05 00:00:00', 9.5, 0.1), (2, DATE'2024-01-10', TIMESTAMP'2024-01-10 12:00:00', TIMESTAMP_NTZ'2024-01-10 12:00:00', 10.0, 0.5);
TRY DELETE FROM d.t AS t WHERE t.d1 = '2024-1-5';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.d1 < '2024-1-7';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.at = '2024-1-5';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.at <= '2024-01-05T01:00:00+01:00';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.ntz = '2024-1-5 0:0:0';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.x >= '9.5' AND t.x < '9.75';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.x IN ('9.5', '10');
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
TRY DELETE FROM d.t AS t WHERE t.f = 0.1;
-- no version
TRY DELETE FROM d.t AS t WHERE t.f = 0.1D;
-- no version
TRY DELETE FROM d.t AS t WHERE t.k = '1';
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]
TRY DELETE FROM d.t AS t WHERE t.k < 1.5;
-- columns: k int, d1 date, at timestamp, ntz timestamp_ntz, x double, f float
-- [2, '2024-01-10', '2024-01-10T12:00:00Z', '2024-01-10T12:00:00', 10.0, 0.5]

-- NaN is greater than every number, and zero has no sign
CREATE TABLE d.t (k int, x double, f float);
INSERT INTO d.t VALUES (1, DOUBLE('NaN'), FLOAT('NaN')), (2, -0.0D, FLOAT('-0.0')), (3, 0.0D, FLOAT('0.0'));
INSERT INTO d.t VALUES (4, DOUBLE('Infinity'), FLOAT('-Infinity')), (5, 1.5, 1.5);
TRY DELETE FROM d.t AS t WHERE t.x > 1e308D;
-- columns: k int, x double, f float
-- [2, -0.0, -0.0]
-- [3, 0.0, 0.0]
-- [5, 1.5, 1.5]
TRY DELETE FROM d.t AS t WHERE t.x = DOUBLE('NaN');
-- columns: k int, x double, f float
-- [2, -0.0, -0.0]
-- [3, 0.0, 0.0]
-- [4, 'Infinity', '-Infinity']
-- [5, 1.5, 1.5]
TRY DELETE FROM d.t AS t WHERE t.x <= -0.0D;
-- columns: k int, x double, f float
-- [1, 'NaN', 'NaN']
-- [4, 'Infinity', '-Infinity']
-- [5, 1.5, 1.5]
TRY DELETE FROM d.t AS t WHERE t.f >= 'NaN';
-- columns: k int, x double, f float
-- [2, -0.0, -0.0]
-- [3, 0.0, 0.0]
-- [4, 'Infinity', '-Infinity']
-- [5, 1.5, 1.5]
TRY DELETE FROM d.t AS t WHERE NOT (t.x < 5);
-- columns: k int, x double, f float
-- [2, -0.0, -0.0]
-- [3, 0.0, 0.0]
-- [5, 1.5, 1.5]

-- A zero equals a zero of the other sign, whichever of them a file holds
CREATE TABLE d.t (k int, x double, f float);
INSERT INTO d.t VALUES (1, 0.0D, FLOAT('0.0'));
INSERT INTO d.t VALUES (2, -0.0D, FLOAT('-0.0'));
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x = -0.0D;
-- columns: k int
-- [1]
-- [2]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x = 0.0D;
-- columns: k int
-- [1]
-- [2]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x IN (-0.0D, 5.0D);
-- columns: k int
-- [1]
-- [2]
TRY DELETE FROM d.t AS t WHERE t.x = '-0';
-- columns: k int, x double, f float
TRY DELETE FROM d.t AS t WHERE t.f = 0;
-- columns: k int, x double, f float
TRY UPDATE d.t AS t SET k = 5 WHERE t.x >= 0.0D AND t.x <= -0.0D;
-- columns: k int, x double, f float
-- [5, -0.0, -0.0]
-- [5, 0.0, 0.0]
TRY MERGE INTO d.t AS t USING (SELECT -0.0D AS x) AS s ON t.x = s.x WHEN MATCHED THEN UPDATE SET k = t.k + 10 WHEN NOT MATCHED THEN INSERT (k, x) VALUES (3, s.x);
-- columns: k int, x double, f float
-- [11, 0.0, 0.0]
-- [12, -0.0, -0.0]

-- A zero inside of a struct equals a zero of the other sign
CREATE TABLE d.t (k int, x double, s struct<x:double,f:float>);
INSERT INTO d.t VALUES (1, 0.0D, named_struct('x', 0.0D, 'f', FLOAT('0.0'))), (2, 0.0D, named_struct('x', 0.0D, 'f', FLOAT('0.0'))), (3, 1.5D, named_struct('x', 1.5D, 'f', FLOAT('1.5'))), (4, NULL, NULL);
INSERT INTO d.t VALUES (5, -0.0D, named_struct('x', -0.0D, 'f', FLOAT('-0.0'))), (6, -0.0D, named_struct('x', -0.0D, 'f', FLOAT('-0.0'))), (7, 1.5D, named_struct('x', 1.5D, 'f', FLOAT('1.5')));
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x <= -0.0D;
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x = -0.0D;
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.x = 0.0D;
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.x <= CAST('-0.0' AS double);
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.x = -0.0D;
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.x >= 0.0D;
-- columns: k int
-- [1]
-- [2]
-- [3]
-- [5]
-- [6]
-- [7]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s.f IN (FLOAT('-0.0'));
-- columns: k int
-- [1]
-- [2]
-- [5]
-- [6]
TRY UPDATE d.t AS t SET k = 10 WHERE t.s.x <= CAST('-0.0' AS double);
-- columns: k int, x double, s struct<x:double,f:float>
-- [10, -0.0, {'f': -0.0, 'x': -0.0}]
-- [10, -0.0, {'f': -0.0, 'x': -0.0}]
-- [10, 0.0, {'f': 0.0, 'x': 0.0}]
-- [10, 0.0, {'f': 0.0, 'x': 0.0}]
-- [3, 1.5, {'f': 1.5, 'x': 1.5}]
-- [4, None, None]
-- [7, 1.5, {'f': 1.5, 'x': 1.5}]
TRY DELETE FROM d.t AS t WHERE t.s.x = -0.0D;
-- columns: k int, x double, s struct<x:double,f:float>
-- [3, 1.5, {'f': 1.5, 'x': 1.5}]
-- [4, None, None]
-- [7, 1.5, {'f': 1.5, 'x': 1.5}]
TRY DELETE FROM d.t AS t WHERE t.x = -0.0D;
-- columns: k int, x double, s struct<x:double,f:float>
-- [3, 1.5, {'f': 1.5, 'x': 1.5}]
-- [4, None, None]
-- [7, 1.5, {'f': 1.5, 'x': 1.5}]
TRY DELETE FROM d.t AS t WHERE t.s.f >= FLOAT('0.0');
-- columns: k int, x double, s struct<x:double,f:float>
-- [4, None, None]
