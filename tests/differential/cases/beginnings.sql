-- what a text begins with, and the day of a time, in several files
CREATE TABLE d.t (k int, s string, c char(3), x timestamp, n timestamp_ntz);
INSERT INTO d.t VALUES (1, 'ab', 'ab', TIMESTAMP '2024-01-05 23:59:59.999999', TIMESTAMP_NTZ '2024-01-05 00:00:00');
INSERT INTO d.t VALUES (2, 'a%b', 'a', TIMESTAMP '2024-01-06 00:00:00', TIMESTAMP_NTZ '2024-01-06 23:59:59');
INSERT INTO d.t VALUES (3, 'b', 'b', TIMESTAMP '1969-12-31 23:59:59', NULL), (4, NULL, NULL, NULL, NULL);
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s LIKE 'a%';
-- columns: k int
-- [1]
-- [2]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s LIKE 'a\\%%';
-- columns: k int
-- [2]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.s NOT LIKE 'a%';
-- columns: k int
-- [3]
ASK SELECT t.k AS k FROM d.t AS t WHERE t.c LIKE 'a %' OR startswith(t.s, 'b');
-- columns: k int
-- [2]
-- [3]
ASK SELECT t.k AS k FROM d.t AS t WHERE CAST(t.x AS DATE) = CAST('2024-01-05' AS DATE);
-- columns: k int
-- [1]
ASK SELECT t.k AS k FROM d.t AS t WHERE date(t.n) > '2024-01-05' OR to_date(t.x) < CAST('1970-01-01' AS DATE);
-- columns: k int
-- [2]
-- [3]
TRY DELETE FROM d.t AS t WHERE CAST(t.x AS DATE) <= CAST('2024-01-05' AS DATE);
-- columns: k int, s string, c string, x timestamp, n timestamp_ntz
-- [2, 'a%b', 'a  ', '2024-01-06T00:00:00Z', '2024-01-06T23:59:59']
-- [4, None, None, None, None]
TRY DELETE FROM d.t AS t WHERE NOT t.s LIKE 'a%';
-- columns: k int, s string, c string, x timestamp, n timestamp_ntz
-- [1, 'ab', 'ab ', '2024-01-05T23:59:59.999999Z', '2024-01-05T00:00:00']
-- [2, 'a%b', 'a  ', '2024-01-06T00:00:00Z', '2024-01-06T23:59:59']
-- [4, None, None, None, None]
TRY UPDATE d.t AS t SET k = 10 WHERE CAST(t.n AS DATE) BETWEEN CAST('2024-01-06' AS DATE) AND CAST('2024-01-07' AS DATE) AND t.s LIKE 'a%b';
-- columns: k int, s string, c string, x timestamp, n timestamp_ntz
-- [1, 'ab', 'ab ', '2024-01-05T23:59:59.999999Z', '2024-01-05T00:00:00']
-- [10, 'a%b', 'a  ', '2024-01-06T00:00:00Z', '2024-01-06T23:59:59']
-- [3, 'b', 'b  ', '1969-12-31T23:59:59Z', None]
-- [4, None, None, None, None]
