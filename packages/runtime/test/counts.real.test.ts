/** The response to a list with limit 1, by which an idle watch checks whether its cache is complete. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "@capstan/kinds/v1";
import { kubernetesMissing } from "@capstan/kubernetes";
import { onEmbedded, onReal } from "./places.ts";

for (const [where, start, skip] of [
  ["embedded", onEmbedded, false],
  ["real", onReal, kubernetesMissing()],
] as const) {
  test(`a list with limit 1 has a count of remaining items without a selector: ${where}`, { skip }, async (t) => {
    const { api, namespace } = await start(t);
    for (const name of ["a", "b", "c"]) {
      const metadata = { namespace, name, labels: { counted: "yes" } };
      await api.create(Secret, { apiVersion: "v1", kind: "Secret", metadata }, { manager: "test" });
    }
    const all = await api.list(Secret, { namespace });
    const one = await api.list(Secret, { namespace, limit: 1 });
    assert.equal(one.items.length + (one.remaining ?? 0), all.items.length);
    assert.deepEqual([all.items.length, all.continueAt], [3, undefined], "nobody else makes any");
    const selected = await api.list(Secret, { namespace, limit: 1, labelSelector: "counted=yes" });
    assert.deepEqual([selected.items.length, selected.remaining], [1, undefined]);
    assert.notEqual(selected.continueAt, undefined);
  });
}
