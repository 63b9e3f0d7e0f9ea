/** A short object becomes a cluster with real replication. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scene } from "./scene.ts";

test("a cluster of three becomes available, and its replicas have the writes", async (t) => {
  const scene = await Scene.open(t);
  await scene.apply({ size: 3, version: "10.11.19" });
  const { status } = await scene.settled("three members replicate");
  assert.deepEqual([status?.size, status?.ready, status?.version, status?.acknowledgements], [3, 3, "10.11.19", 1]);
  const primary = status?.primary ?? "";
  await using writer = await scene.member(primary);
  await writer.run(
    "CREATE DATABASE shop",
    "CREATE TABLE shop.orders (id INT PRIMARY KEY)",
    "INSERT INTO shop.orders VALUES (7)",
  );
  for (const { name } of status?.members ?? []) {
    await using reader = await scene.member(name);
    const rows = await scene.until(`${name} has the row`, async () => {
      const found = await reader.query("SELECT id FROM shop.orders");
      return found.length > 0 && found;
    });
    assert.deepEqual(rows, [{ id: "7" }]);
    const [role] = await reader.query("SELECT @@read_only AS isReadOnly");
    assert.equal(role?.["isReadOnly"], name === primary ? "0" : "1");
  }
});
