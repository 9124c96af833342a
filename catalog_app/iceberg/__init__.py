"""Tables as Apache Iceberg describes them (format version 2). Pure: values in, values and bytes out."""
