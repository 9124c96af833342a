-- A path into a VARIANT names its column, and binds before every other operator
CREATE TABLE d.t (k int, j string);
INSERT INTO d.t VALUES (1, '{"a":{"b":[10,20]},"A":"x"}'), (2, '{"a":{"b":[-5]}}'), (3, NULL);
ASK SELECT k, parse_json(j):a.b[1]::int AS b1, -parse_json(j):a.b[0]::int AS b0 FROM d.t;
-- columns: k int, b1 int, b0 int
-- [1, 20, -10]
-- [2, None, 5]
-- [3, None, None]
ASK SELECT parse_json(j):a['b'][0]::int, parse_json(j):A::string FROM d.t;
-- columns: b int, A string
-- [-5, None]
-- [10, 'x']
-- [None, None]
ASK SELECT v:a:b::string AS b FROM (SELECT parse_json(j) AS v FROM d.t) WHERE v:a.b[0]::int > 0;
-- columns: b string
-- ['[10,20]']
ASK SELECT parse_json(j):`a`.`b`[0]::int + 1 AS n, parse_json(j):a.zz::int AS z FROM d.t;
-- columns: n int, z int
-- [-4, None]
-- [11, None]
-- [None, None]
ASK SELECT transform(array(parse_json(j)), x -> x:a.b[0]::int) AS l FROM d.t;
-- columns: l array<int>
-- [[-5]]
-- [[10]]
-- [[None]]
ASK SELECT j:a FROM d.t;
-- refused: AnalysisException [COLUMN_IS_NOT_VARIANT_TYPE] The semi-structured extraction operator (`:`) can only be applied to a column of the VARIAN

-- Shifts bind after sums and before comparisons
CREATE TABLE d.t (k int, b bigint);
INSERT INTO d.t VALUES (-8, -8), (9, 9), (NULL, NULL);
ASK SELECT k, k >>> 1, b >>> 1, k >> 1, k << 2 FROM d.t;
-- columns: k int, (k >>> 1) int, (b >>> 1) bigint, (k >> 1) int, (k << 2) int
-- [-8, 2147483644, 9223372036854775804, -4, -32]
-- [9, 4, 4, 4, 36]
-- [None, None, None, None, None]
ASK SELECT k >>> 1 + 1, 1 | k >>> 1 & 3, k >>> 1 >>> 1 FROM d.t;
-- columns: (k >>> (1 + 1)) int, (1 | ((k >>> 1) & 3)) int, ((k >>> 1) >>> 1) int
-- [1073741822, 1, 1073741822]
-- [2, 1, 2]
-- [None, None, None]
ASK SELECT k FROM d.t WHERE k >>> 1 = 4;
-- columns: k int
-- [9]
ASK SELECT 'a' || k || 1 + 1 FROM d.t WHERE k > 0;
-- refused: NumberFormatException [CAST_INVALID_INPUT] The value 'a91' of the type "STRING" cannot be cast to "BIGINT" because it is malformed. Correct th

-- Windows of time group rows, and a sample stands before a name
CREATE TABLE d.t (k int, m timestamp);
INSERT INTO d.t VALUES (1, TIMESTAMP '2024-01-01 10:05:00'), (2, TIMESTAMP '2024-01-01 10:55:00'), (3, TIMESTAMP '2024-01-01 11:00:00');
ASK SELECT window(m, '1 hour').start AS s, sum(k) AS n FROM d.t GROUP BY window(m, '1 hour');
-- columns: s timestamp, n bigint
-- ['2024-01-01T10:00:00Z', 3]
-- ['2024-01-01T11:00:00Z', 3]
ASK SELECT window.start AS s, count(*) AS n FROM d.t GROUP BY window(m, '30 minutes') HAVING count(*) > 0;
-- columns: s timestamp, n bigint
-- ['2024-01-01T10:00:00Z', 1]
-- ['2024-01-01T10:30:00Z', 1]
-- ['2024-01-01T11:00:00Z', 1]
ASK SELECT session_window(m, '20 minutes').start AS s, count(*) AS n FROM d.t GROUP BY session_window(m, '20 minutes');
-- columns: s timestamp, n bigint
-- ['2024-01-01T10:05:00Z', 1]
-- ['2024-01-01T10:55:00Z', 2]
ASK SELECT q.k FROM (SELECT k FROM d.t) TABLESAMPLE (9 ROWS) AS q WHERE q.k > 1;
-- columns: k int
-- [2]
-- [3]
