init { end: skip; if: skip }
