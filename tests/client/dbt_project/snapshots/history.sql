{% snapshot history %}
{{ config(unique_key='id', strategy='check', check_cols=['name'], target_schema='shop') }}
select id, name from {{ ref('customers') }}
{% endsnapshot %}
