select id, name from {{ ref('active') }} where id > 0
