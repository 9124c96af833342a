{{ config(materialized='table') }}
select id, upper(name) as name, amount from {{ ref('customers') }}
