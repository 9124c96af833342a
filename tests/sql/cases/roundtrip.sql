-- Queries that are allowed and mean the same after they were written again. One a line.
select 1
select date_add(DAY, 1, x), datediff(a, b), datediff(MONTH, a, b), date '2020-01-01', timestamp '2020-01-01 00:00:00' from db.t
select X'1F', 1L, 1.5BD, 2S, 1e3, 1.0D, -1, - -1, .5, 99999999999999999999
select 'it''s', "a""b", 'a\nb\'c', 'a\\d', r'\d+', '\u0041', 'x' 'y', 'a%\%b', '{', '}'
select array(1, 2)[0], map('a', 1)['a'], struct(1 as a, 2 as b), named_struct('a', 1).a, list[0] from db.t
select char(65), chr(66), decimal(1), date('2020-01-01'), int('3'), left('abc', 1), replace('a', 'b', 'c'), if(a, b, c) from db.t
select first(x), first(x) ignore nulls, first(x, true), last_value(x) from db.t
select transform(array(1), x -> x + 1), filter(a, (x, i) -> x > i), exists(a, x -> x), aggregate(a, 0, (acc, x) -> acc + x) from db.t
select any(b), some(b), every(b), max_by(a, b), count(distinct a, b), count(*), count(*) filter (where a > 1) from db.t
select a div b, a % b, a ^ b, a << 1, a || b, !a, ~a, a <=> b, a is distinct from b, a rlike 'x', not a and b or c from db.t
select a like all ('x', 'y'), a ilike any ('x'), a between 1 and 2, a not in (1, 2), a like 'x' escape '!', a is not true from db.t
select a - (b - c), (a + b) * c, a - -b, not (not a), a = (b = c), a and (b or c), a div (b div c) from db.t
select percentile_cont(0.5) within group (order by x), listagg(a, ',') within group (order by a) from db.t
select row_number() over (partition by a order by b desc nulls last rows between unbounded preceding and current row) from db.t
select sum(x) over w, lag(a, 1) over (order by b range between interval 1 day preceding and current row) from db.t window w as (order by a)
select extract(year from a), trim(both 'x' from a), trim(a), substring(a from 1 for 2), substr(a, 1, 2), position('a' in b) from db.t
select overlay(a placing 'x' from 1 for 2), cast(a as struct<x:int, y:array<string>>), a::int, try_cast(a as decimal(3,1)) from db.t
select * from db.t t1 left join c.db.u as u2 using (a) cross join db.x natural join db.y
select * from db.t left semi join db.u on t.a = u.a left anti join db.v on t.a = v.a full outer join db.w on true
select * from db.t lateral view explode(a) e as x lateral view outer posexplode(b) f as p, v
select * from db.t lateral view explode(a) `e; drop` as x
select * from range(10), explode(array(1, 2)) as t(x), lateral (select 1), lateral explode(array(1))
select * from values (1, 'a'), (2, 'b') as t(x, y)
values (1, 2), (3, 4)
with recursive a as (select 1 as n union all select n + 1 from a where n < 5) select * from a
with a as (select * from db.t), b as (select * from a) select * from b join a using (x)
select a, b, grouping_id() from db.t group by cube(a, b) having count(*) > 1 order by 1 limit 3 offset 2
select a from db.t group by grouping sets ((a), ()) order by all
select a, sum(b) from db.t group by a with rollup
select a, count(*) from db.t group by all
select * from db.t pivot (sum(x) as s for y in ('a' as a1, 'b'))
select * from db.t unpivot (v for n in (a, b))
select * from db.t tablesample (10 percent) x
select /*+ BROADCAST(t) */ * from db.t
select a from db.t distribute by a sort by b
select a from db.t cluster by a
select a from db.t minus select b from db.u
select a from db.t union all select b from db.u except select c from db.v intersect select d from db.w
(select 1) union (select 2) order by 1
select * except (a) from db.t
select a from db.t where a in (select b from db.u where u.x = t.y) and exists (select 1 from db.v) and a > (select max(x) from db.w)
select interval 1 day, interval '1-2' year to month, interval '1 day 2 hours', x + interval 3 hours from db.t
select current_date, current_timestamp, now(), current_date(), localtimestamp() from db.t
from db.t select a
select a from db.t qualify row_number() over (order by a) = 1
select case a when 1 then 2 else 3 end, case when a then b end from db.t
select timestampdiff(MINUTE, a, b), timestampadd(HOUR, 1, a), date_part('year', a), trunc(a, 'MM'), date_trunc('month', a) from db.t
select json_tuple(a, 'x', 'y') as (p, q), stack(2, 1, 2) as (a), mask(a, lowerChar => 'q') from db.t
select a.b.c, a[0].b, (a, b) = (1, 2), (select 1), `select`, `a``b`, `ü` from db.t
select 'a' collate UTF8_LCASE, approx_percentile(a, array(0.5, 0.9), 100), window(a, '1 day') from db.t
