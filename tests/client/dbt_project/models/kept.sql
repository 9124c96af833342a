{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id') }}
select id, name, {{ var('run', 1) }} as run from {{ ref('active') }}
{% if is_incremental() %} where id >= 2 {% endif %}
