"""A small shop, as statements: tables with primary keys, a partition and nested columns, and two branches to merge.

``prices`` merges without a conflict. ``support`` changed an order that main changed too: one row in conflict. What both
did to one customer merges by cell.
"""

from __future__ import annotations

CATALOG = "demo_shop"
COMMENT = "A small shop: keys, partitions and nested columns"

STORY: tuple[tuple[str, str], ...] = (
    ("main", "CREATE DATABASE shop"),
    (
        "main",
        """CREATE TABLE shop.customers (customer_id INT PRIMARY KEY, name STRING NOT NULL, email STRING, tier STRING,
        address STRUCT<street: STRING, city: STRING, country: STRING>)""",
    ),
    (
        "main",
        """INSERT INTO shop.customers VALUES
        (1, 'Ana Ruiz', 'ana@example.com', 'gold',
            named_struct('street', 'Calle Sol 4', 'city', 'Sevilla', 'country', 'ES')),
        (2, 'Ben Okoro', 'ben@example.com', 'silver',
            named_struct('street', '12 Mill Road', 'city', 'Leeds', 'country', 'GB')),
        (3, 'Chiara Conti', 'chiara@example.com', 'silver',
            named_struct('street', 'Via Po 8', 'city', 'Torino', 'country', 'IT')),
        (4, 'Dang Minh', 'minh@example.com', 'bronze',
            named_struct('street', 'Le Loi 21', 'city', 'Hue', 'country', 'VN'))""",
    ),
    (
        "main",
        """CREATE TABLE shop.products (product_id INT PRIMARY KEY, name STRING NOT NULL, price DECIMAL(10,2),
        tags ARRAY<STRING>, details MAP<STRING, STRING>)""",
    ),
    (
        "main",
        """INSERT INTO shop.products VALUES
        (10, 'Coffee beans 1 kg', 18.90, array('coffee', 'organic'), map('origin', 'Peru', 'roast', 'dark')),
        (11, 'Green tea 100 g', 7.50, array('tea'), map('origin', 'Japan')),
        (12, 'Mug', 9.00, array('kitchen', 'gift'), map('colour', 'blue')),
        (13, 'Hand grinder', 49.00, array('coffee', 'kitchen'), map('material', 'steel'))""",
    ),
    (
        "main",
        """CREATE TABLE shop.orders (order_id INT PRIMARY KEY, customer_id INT NOT NULL, ordered_on DATE, status STRING,
        items ARRAY<STRUCT<product_id: INT, quantity: INT, price: DECIMAL(10,2)>>, month STRING)
        PARTITIONED BY (month)""",
    ),
    (
        "main",
        """INSERT INTO shop.orders VALUES
        (1001, 1, DATE'2025-01-14', 'delivered',
            array(named_struct('product_id', 10, 'quantity', 2, 'price', 18.90)), '2025-01'),
        (1002, 3, DATE'2025-01-30', 'delivered',
            array(named_struct('product_id', 12, 'quantity', 4, 'price', 9.00)), '2025-01'),
        (1003, 2, DATE'2025-02-03', 'paid', array(named_struct('product_id', 11, 'quantity', 1, 'price', 7.50),
            named_struct('product_id', 13, 'quantity', 1, 'price', 49.00)), '2025-02'),
        (1004, 4, DATE'2025-02-17', 'paid',
            array(named_struct('product_id', 10, 'quantity', 1, 'price', 18.90)), '2025-02')""",
    ),
    ("main", "CREATE TABLE shop.stock (product STRING, shelf STRING, pieces INT)"),
    (
        "main",
        """INSERT INTO shop.stock VALUES ('Coffee beans 1 kg', 'A1', 40), ('Green tea 100 g', 'A2', 25),
        ('Mug', 'B1', 60), ('Hand grinder', 'B2', 8)""",
    ),
    ("main", "CREATE BRANCH prices"),
    ("main", "CREATE BRANCH support"),
    ("prices", "ALTER TABLE shop.products ADD COLUMN discount DECIMAL(4,2) COMMENT 'share of the price'"),
    ("prices", "UPDATE shop.products SET price = 19.90 WHERE product_id = 10"),
    (
        "prices",
        "INSERT INTO shop.products VALUES (14, 'Paper filters', 3.20, array('coffee'), map('pieces', '100'), NULL)",
    ),
    ("support", "UPDATE shop.orders SET status = 'returned' WHERE order_id = 1003"),
    ("support", "UPDATE shop.customers SET tier = 'gold' WHERE customer_id = 2"),
    ("main", "UPDATE shop.orders SET status = 'shipped' WHERE order_id = 1003"),
    ("main", "UPDATE shop.customers SET email = 'ben.okoro@example.com' WHERE customer_id = 2"),
    (
        "main",
        """INSERT INTO shop.orders VALUES (1005, 1, DATE'2025-03-02', 'paid',
        array(named_struct('product_id', 12, 'quantity', 1, 'price', 9.00)), '2025-03')""",
    ),
)
"""By branch the statements, in their order."""
