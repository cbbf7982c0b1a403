// The entry of the web client.
console.info("scaffold");
