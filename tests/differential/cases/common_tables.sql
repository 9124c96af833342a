-- A common table counts where it is written
CREATE TABLE d.t (k int, v int);
INSERT INTO d.t VALUES (1, 2), (5, 3), (-7, 2);
ASK WITH x AS (SELECT 1 AS k), y AS (WITH x AS (SELECT 2 AS k) SELECT k FROM x) SELECT x.k AS p, y.k AS q FROM x, y;
-- columns: p int, q int
-- [1, 2]
ASK SELECT q.k AS p, r.k AS s FROM (WITH x AS (SELECT 2 AS k) SELECT k FROM x) q, (WITH x AS (SELECT 3 AS k) SELECT k FROM x) r;
-- columns: p int, s int
-- [2, 3]
ASK WITH x AS (SELECT 1 AS k) SELECT (WITH x AS (SELECT 2 AS k) SELECT k FROM x) AS p, k FROM x;
-- columns: p int, k int
-- [2, 1]
ASK SELECT k, (WITH q AS (SELECT max(v) AS m FROM d.t AS u WHERE u.k <= s.k) SELECT m FROM q) AS m FROM d.t AS s;
-- columns: k int, m int
-- [-7, 2]
-- [1, 2]
-- [5, 3]
ASK SELECT k FROM d.t AS s WHERE EXISTS (WITH q AS (SELECT 5 AS k) SELECT 1 FROM q WHERE q.k = s.k);
-- columns: k int
-- [5]
TRY INSERT INTO d.t SELECT q.k, r.k FROM (WITH x AS (SELECT 2 AS k) SELECT k FROM x) q, (WITH x AS (SELECT 3 AS k) SELECT k FROM x) r;
-- columns: k int, v int
-- [-7, 2]
-- [1, 2]
-- [2, 3]
-- [5, 3]
