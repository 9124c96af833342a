-- Each operator reads all that stands before it
CREATE TABLE d.t (k int, v int, s string);
INSERT INTO d.t VALUES (1, 10, 'a'), (2, NULL, 'b'), (3, 30, NULL), (4, 40, 'd');
CREATE TABLE d.u (k int, w int);
INSERT INTO d.u VALUES (1, 100), (2, 200), (5, 500);
ASK FROM d.t |> ORDER BY k |> LIMIT 2 |> WHERE k > 1;
-- columns: k int, v int, s string
-- [2, None, 'b']
ASK FROM d.t |> LIMIT 3 |> AGGREGATE count(*) AS n;
-- columns: n bigint
-- [3]
ASK FROM d.t |> ORDER BY k DESC |> LIMIT 2 |> ORDER BY k;
-- columns: k int, v int, s string
-- [3, 30, None]
-- [4, 40, 'd']
ASK FROM d.t |> ORDER BY k |> LIMIT 3 |> OFFSET 1;
-- columns: k int, v int, s string
-- [2, None, 'b']
-- [3, 30, None]
ASK FROM d.t |> ORDER BY k |> OFFSET 1 |> LIMIT 3 |> OFFSET 1 |> LIMIT 1;
-- columns: k int, v int, s string
-- [3, 30, None]
ASK FROM d.t |> SELECT DISTINCT k % 2 AS p;
-- columns: p int
-- [0]
-- [1]
ASK FROM d.t |> SELECT DISTINCT k % 2 AS p |> AGGREGATE count(*) AS n;
-- columns: n bigint
-- [2]
ASK FROM d.t |> ORDER BY v DESC |> LIMIT 1 |> SELECT -k AS v;
-- columns: v int
-- [-4]
ASK FROM d.t |> WHERE k > 3 |> RIGHT JOIN d.u USING (k);
-- columns: k int, v int, s string, w int
-- [1, None, None, 100]
-- [2, None, None, 200]
-- [5, None, None, 500]
ASK FROM d.t |> WHERE k < 4 |> LEFT ANTI JOIN d.u USING (k) |> SELECT k;
-- columns: k int
-- [3]
ASK FROM d.t AS t |> JOIN d.u AS u ON t.k = u.k |> ORDER BY u.w DESC |> LIMIT 1 |> SELECT t.k, u.w;
-- columns: k int, w int
-- [2, 200]
ASK FROM d.t AS t |> LEFT JOIN d.u AS u ON t.k = u.k |> WHERE u.k IS NULL |> SELECT t.k;
-- columns: k int
-- [3]
-- [4]
ASK FROM d.t |> EXTEND k + 1 AS n |> EXTEND n + 1 AS m |> WHERE m > 5;
-- columns: k int, v int, s string, n int, m int
-- [4, 40, 'd', 5, 6]
ASK FROM d.t |> EXTEND row_number() OVER (ORDER BY k DESC) AS n |> WHERE n = 1;
-- columns: k int, v int, s string, n int
-- [4, 40, 'd', 1]
ASK FROM d.t |> WHERE k = 1 |> SELECT k, sum(k) OVER () AS n;
-- columns: k int, n bigint
-- [1, 1]
ASK FROM d.t |> SELECT k, sum(k) OVER () AS n |> WHERE k = 1;
-- columns: k int, n bigint
-- [1, 10]
ASK FROM d.t |> DROP s |> WHERE k = 1;
-- columns: k int, v int
-- [1, 10]
ASK FROM d.t |> DROP nope;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `nope` cannot be resolved. Did y
ASK FROM d.t |> AGGREGATE v;
-- refused: AnalysisException [PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION] Non-grouping expression v#211883 is provided as an a
ASK FROM d.t |> AGGREGATE count(*) AS n GROUP BY k AS v, v AS b;
-- columns: v int, b int, n bigint
-- [1, 10, 1]
-- [2, None, 1]
-- [3, 30, 1]
-- [4, 40, 1]
ASK FROM d.t |> AGGREGATE sum(v) AS n GROUP BY k % 2 AS p |> WHERE n > 40;
-- columns: p int, n bigint
ASK FROM d.t |> AGGREGATE count(*) AS n GROUP BY s |> AGGREGATE max(n) AS m;
-- columns: m bigint
-- [1]
ASK FROM d.t |> WHERE k < 3 |> UNION ALL (FROM d.t |> WHERE k = 4) |> AGGREGATE count(*) AS n;
-- columns: n bigint
-- [3]
ASK FROM d.t |> SELECT k |> EXCEPT (SELECT k FROM d.u) |> WHERE k > 3;
-- columns: k int
-- [4]
ASK FROM d.t |> AS x |> JOIN d.t AS y ON x.k = y.k + 1 |> SELECT x.k, y.k AS other;
-- columns: k int, other int
-- [2, 1]
-- [3, 2]
-- [4, 3]
ASK FROM d.t |> SELECT k, v |> PIVOT (sum(v) FOR k IN (1, 2)) |> EXTEND 1 AS z;
-- columns: 1 bigint, 2 bigint, z int
-- [10, None, 1]
ASK FROM d.t |> WHERE k > 1 |> SELECT k, v |> UNPIVOT (w FOR n IN (v));
-- columns: k int, n string, w int
-- [3, 'v', 30]
-- [4, 'v', 40]
ASK FROM d.t |> WHERE k > 1 |> TABLESAMPLE (1 ROWS) |> AGGREGATE count(*) AS n;
-- columns: n bigint
-- [1]
ASK FROM d.t AS t |> JOIN LATERAL (SELECT t.k + 1 AS z) |> WHERE z > 3 |> SELECT k, z;
-- columns: k int, z int
-- [3, 4]
-- [4, 5]
ASK FROM d.t AS t, LATERAL (SELECT t.k + 1 AS z) |> WHERE z > 4 |> SELECT z;
-- columns: z int
-- [5]
ASK VALUES (1, 'a'), (2, 'b') AS v(x, y) |> WHERE x = 1;
-- columns: x int, y string
-- [1, 'a']
ASK WITH c AS (SELECT k FROM d.t) FROM c |> WHERE k = 2;
-- columns: k int
-- [2]
ASK SELECT k FROM d.t WHERE k IN (FROM d.u |> ORDER BY k DESC |> LIMIT 2 |> WHERE k < 5 |> SELECT k);
-- columns: k int
-- [2]
ASK FROM d.t |> ORDER BY k LIMIT 2;
-- refused: ParseException [MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS] ORDER BY and LIMIT cannot coexist in the same SQL pipe operator usin
ASK FROM d.t |> WHERE k > 2 WHERE k > 3;
-- refused: ParseException [PARSE_SYNTAX_ERROR] Syntax error at or near 'WHERE'. SQLSTATE: 42601 (line 1, pos 39) == SQL == FROM peer_f140826b4d.t0
ASK SELECT k FROM d.t UNION (TABLE d.t |> SELECT v);
-- columns: k int
-- [10]
-- [1]
-- [2]
-- [30]
-- [3]
-- [40]
-- [4]
-- [None]

-- Columns of a join go by the names of their tables behind each operator
CREATE TABLE d.t (k int, v int);
INSERT INTO d.t VALUES (1, 10), (2, 20), (3, 30);
CREATE TABLE d.u (k int, w int);
INSERT INTO d.u VALUES (1, 100), (2, 200), (2, 250);
ASK FROM d.t AS t |> JOIN d.u AS u ON t.k = u.k |> EXTEND t.v + u.w AS x |> WHERE u.w > 100 |> SELECT t.k, u.w, x;
-- columns: k int, w int, x int
-- [2, 200, 220]
-- [2, 250, 270]
ASK FROM d.t AS t |> JOIN d.u AS u ON t.k = u.k |> WHERE t.k > 1 |> JOIN d.u AS z ON z.w = u.w |> SELECT t.v, z.w;
-- columns: v int, w int
-- [20, 200]
-- [20, 250]
ASK FROM d.t AS t |> JOIN d.u AS u USING (k) |> LIMIT 9 |> WHERE u.w > 100 |> AGGREGATE sum(u.w) AS s GROUP BY t.v AS g |> WHERE g = 20;
-- columns: g int, s bigint
-- [20, 450]
ASK FROM d.t AS t |> LEFT JOIN d.u AS u ON t.k = u.k |> ORDER BY u.w DESC |> LIMIT 2 |> ORDER BY u.w |> OFFSET 1 |> SELECT t.k, w;
-- columns: k int, w int
-- [2, 250]
ASK FROM d.t AS t |> JOIN d.u AS u USING (k) |> EXTEND row_number() OVER (ORDER BY w) AS r |> WHERE r = 1 |> DROP v;
-- columns: k int, w int, r int
-- [1, 100, 1]
ASK FROM d.t AS t |> JOIN d.u AS u ON t.k = u.k |> LIMIT 9 |> AS q |> SELECT DISTINCT q.v |> AGGREGATE count(*) AS n;
-- columns: n bigint
-- [2]
ASK FROM d.t AS t |> JOIN d.u AS u ON t.k = u.k |> SELECT t.k, u.w |> WHERE EXISTS (SELECT 1 FROM d.t AS i WHERE i.k = t.k AND i.v > 10);
-- columns: k int, w int
-- [2, 200]
-- [2, 250]
ASK FROM d.t AS t |> TABLESAMPLE (100 PERCENT) |> SELECT t.k |> UNION ALL (VALUES (7)) |> WHERE k > 2;
-- columns: k int
-- [3]
-- [7]
ASK VALUES (1), (2) AS z(a) |> WHERE z.a > 1;
-- columns: a int
-- [2]
