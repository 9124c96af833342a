{# What lakeui has in place of dbt-spark's: one kind of table, whose files it keeps itself. #}

{% macro dbt_spark_validate_get_file_format(raw_file_format) %}
  {% do return('delta') %}
{% endmacro %}

{% macro lakeui__file_format_clause() %}{% endmacro %}

{% macro lakeui__location_clause() %}
  {%- if config.get('location_root') is not none -%}
    {{ exceptions.raise_compiler_error("lakeui keeps the files of its tables itself. Take location_root away.") }}
  {%- endif -%}
{% endmacro %}

{% macro lakeui__clustered_cols(label, required=false) %}
  {%- if config.get('clustered_by') is not none -%}
    {{ exceptions.raise_compiler_error("Tables of lakeui have no buckets. Take clustered_by away.") }}
  {%- endif -%}
{% endmacro %}

{% macro lakeui__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {%- if language != 'sql' -%}
    {{ exceptions.raise_compiler_error("lakeui runs models in SQL. Models in Python run in no engine of it.") }}
  {%- elif temporary -%}
    {{ create_temporary_view(relation, compiled_code) }}
  {%- else -%}
    {%- if config.get('contract').enforced -%}
      {{ get_assert_columns_equivalent(compiled_code) }}
      {%- set compiled_code = get_select_subquery(compiled_code) -%}
    {%- endif %}
    create or replace table {{ relation }}
    {{ partition_cols(label="partitioned by") }}
    {{ location_clause() }} {{ clustered_cols(label="clustered by") }}
    {{ comment_clause() }}
    {{ tblproperties_clause() }}
    as
    {{ compiled_code }}
  {%- endif -%}
{% endmacro %}

{% macro lakeui__get_binding_char() %}
  {% do return('?') %}
{% endmacro %}

{% macro lakeui__get_batch_size() %}
  {% do return(500) %}
{% endmacro %}

{% materialization table, adapter='lakeui', supported_languages=['sql'] %}
  {%- set old = adapter.get_relation(database=none, schema=schema, identifier=model['alias']) -%}
  {%- set target = api.Relation.create(schema=schema, identifier=model['alias'], type='table') -%}
  {{ run_hooks(pre_hooks) }}
  {%- if old is not none and not old.is_table -%}
    {% do adapter.drop_relation(old) %}
  {%- endif -%}
  {%- call statement('main') -%}
    {{ create_table_as(False, target, compiled_code) }}
  {%- endcall -%}
  {% do apply_grants(target, config.get('grants'), should_revoke(old, full_refresh_mode=True)) %}
  {% do persist_docs(target, model) %}
  {% do persist_constraints(target, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{% macro lakeui__get_or_create_relation(database, schema, identifier, type) %}
  {% do return(default__get_or_create_relation(none, schema, identifier, type)) %}
{% endmacro %}

{% materialization snapshot, adapter='lakeui' %}
  {{ return(materialization_snapshot_default()) }}
{% endmaterialization %}

{% macro lakeui__post_snapshot(staging_relation) %}
  {%- call statement('drop_staging') -%}
    drop temporary view if exists {{ staging_relation }}
  {%- endcall -%}
{% endmacro %}

{% macro lakeui__alter_column_comment(relation, column_dict) %}
  {# Columns of a view get theirs where it is created. #}
  {%- if relation.is_table -%}
    {%- for name in column_dict if column_dict[name]['description'] -%}
      {% set comment = column_dict[name]['description'] | replace("\\", "\\\\") | replace("'", "\\'") %}
      {% do run_query("alter table " ~ relation ~ " alter column " ~ adapter.quote(name) ~ " comment '" ~ comment ~ "'") %}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}
