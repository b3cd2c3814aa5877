proctype Sender() { skip }
init { run Sendr() }
