import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOf } from "./entries.ts";

test("plain names stay as they are, patterns become the files that they match", () => {
  const asked: string[] = [];
  const entries = entriesOf(
    {
      exports: {
        ".": { "@capstan/source": "./src/index.ts" },
        "./*": { "@capstan/source": "./src/kinds/*.ts" },
      },
    },
    (pattern) => {
      asked.push(pattern);
      return ["src/kinds/v1.ts", "src/kinds/apps/v1.ts"];
    },
  );
  assert.deepEqual(entries, ["./src/index.ts", "./src/kinds/v1.ts", "./src/kinds/apps/v1.ts"]);
  assert.deepEqual(asked, ["./src/kinds/**/*.ts"]);
});
