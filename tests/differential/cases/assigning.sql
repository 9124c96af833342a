-- A text is no number, whichever statement stores it
CREATE TABLE d.t (k int, i int, b boolean, n decimal(5,1), at timestamp, s string);
INSERT INTO d.t VALUES (1, 1, true, 1.5, TIMESTAMP'2024-01-01 00:00:00', 'x');
CREATE TABLE d.u (k int, s string);
INSERT INTO d.u VALUES (1, '42');
TRY INSERT INTO d.t (k, i) VALUES (2, '123');
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY INSERT INTO d.t (k, b) VALUES (2, 'true');
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY INSERT INTO d.t (k, i) VALUES (2, true);
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY INSERT INTO d.t (k, i) VALUES (2, 9.5);
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', 'x']
-- [2, 9, None, None, None, None]
TRY INSERT INTO d.t (k, i) VALUES (2, 2147483648L);
-- refused: ArithmeticException [CAST_OVERFLOW_IN_TABLE_INSERT] Fail to assign a value of "BIGINT" type to the "INT" type column or variable `i` due to
TRY INSERT INTO d.t (k, at) VALUES (2, DATE'2024-01-05');
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', 'x']
-- [2, None, None, None, '2024-01-05T00:00:00Z', None]
TRY INSERT INTO d.t (k, at) VALUES (2, '2024-01-05');
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY INSERT INTO d.t (k, s) VALUES (2, 5);
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', 'x']
-- [2, None, None, None, None, '5']
TRY INSERT INTO d.t (k, s) VALUES (2, DATE'2024-01-05');
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', 'x']
-- [2, None, None, None, None, '2024-01-05']
TRY INSERT INTO d.t (k, n) VALUES (2, 9.96);
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', 'x']
-- [2, None, None, '10.0', None, None]
TRY INSERT INTO d.t (k, i) SELECT s.k, s.s FROM d.u AS s;
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY UPDATE d.t AS t SET i = '42' WHERE t.k = 1;
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY UPDATE d.t AS t SET i = t.s WHERE t.k = 9;
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY UPDATE d.t AS t SET s = 42 WHERE t.k = 1;
-- columns: k int, i int, b boolean, n decimal(5,1), at timestamp, s string
-- [1, 1, True, '1.5', '2024-01-01T00:00:00Z', '42']
TRY MERGE INTO d.t AS t USING d.u AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET i = s.s;
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72
TRY MERGE INTO d.t AS t USING d.u AS s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, i) VALUES (s.k, s.s);
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_ab72

-- Clauses are resolved although no row reaches them
CREATE TABLE d.t (k int, v int);
CREATE TABLE d.u (k int, sv int);
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED AND nope > 1 THEN INSERT (k, v) VALUES (s.k, s.sv);
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `nope` cannot be resolved. Did y
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k, s.nope);
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `s`.`nope` cannot be resolved. D
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED AND t.v = 1 THEN INSERT (k, v) VALUES (s.k, s.sv);
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `t`.`v` cannot be resolved. Did
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED AND v = 1 THEN INSERT (k) VALUES (s.k);
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `v` cannot be resolved. Did you
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN MATCHED AND s.nope = 1 THEN DELETE;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `s`.`nope` cannot be resolved. D
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN MATCHED THEN UPDATE SET v = s.nope;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `s`.`nope` cannot be resolved. D
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN MATCHED THEN UPDATE SET v = DATE'2024-01-01';
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_67ab
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED BY SOURCE AND t.nope = 1 THEN DELETE;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `t`.`nope` cannot be resolved. D
TRY UPDATE d.t AS t SET v = t.nope WHERE t.k = 1;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `t`.`nope` cannot be resolved. D
TRY UPDATE d.t AS t SET v = true WHERE t.k = 1;
-- refused: AnalysisException [INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST] Cannot write incompatible data for the table `spark_catalog`.`peer_67ab
TRY DELETE FROM d.t AS t WHERE t.nope = 1;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `t`.`nope` cannot be resolved. D
TRY INSERT INTO d.t SELECT s.k, s.nope FROM d.u AS s;
-- refused: AnalysisException [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `s`.`nope` cannot be resolved. D

-- A condition that is NULL is not true
CREATE TABLE d.t (k int, v int);
INSERT INTO d.t VALUES (1, 1), (2, 2);
CREATE TABLE d.u (k int, v int);
INSERT INTO d.u VALUES (1, 10), (3, 30);
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN MATCHED AND NULL THEN DELETE;
-- no version
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN MATCHED AND NULL THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v;
-- columns: k int, v int
-- [1, 10]
-- [2, 2]
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED AND NULL THEN INSERT *;
-- no version
TRY MERGE INTO d.t AS t USING d.u AS s ON s.k = t.k WHEN NOT MATCHED BY SOURCE AND NULL THEN DELETE;
-- no version
TRY DELETE FROM d.t AS t WHERE t.v = NULL;
-- no version
