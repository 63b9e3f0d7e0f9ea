import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { diffLines, toLines } from "./lines.ts";
import { merge } from "./merge.ts";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "d", "e", "import x", "}", ""), { maxLength: 14 })
  .map((lines) => lines.map((line) => `${line}\n`).join(""));

test("the difference of two texts, applied to the first, gives the second", () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const [old, fresh] = [toLines(from), toLines(to)];
      let made = "";
      let at = 0;
      for (const { fromStart, fromEnd, toStart, toEnd } of diffLines(old, fresh)) {
        made += old.slice(at, fromStart).join("") + fresh.slice(toStart, toEnd).join("");
        at = fromEnd;
      }
      assert.equal(made + old.slice(at).join(""), to);
    }),
    { numRuns: 2_000 },
  );
});

test("where only one side changed, the merge is that side", () => {
  fc.assert(
    fc.property(text, text, (base, other) => {
      assert.deepEqual(merge({ base, mine: other, theirs: base }), { text: other, conflicts: 0 });
      assert.deepEqual(merge({ base, mine: base, theirs: other }), { text: other, conflicts: 0 });
      assert.deepEqual(merge({ base, mine: other, theirs: other }), { text: other, conflicts: 0 });
    }),
    { numRuns: 1_000 },
  );
});

test("no line that the user added is lost, in whichever mode", () => {
  fc.assert(
    fc.property(
      text,
      text,
      text,
      fc.constantFrom("mark" as const, "keep-both" as const),
      (base, mine, theirs, mode) => {
        const merged = merge({ base, mine, theirs }, mode);
        const old = toLines(base);
        const own = toLines(mine);
        const added = diffLines(old, own).flatMap(({ toStart, toEnd }) => own.slice(toStart, toEnd));
        const left = toLines(merged.text);
        for (const line of added) {
          const at = left.indexOf(line);
          assert.ok(at >= 0 || line === "", `lost ${JSON.stringify(line)}`);
          left.splice(at, 1);
        }
      },
    ),
    { numRuns: 3_000 },
  );
});

test("both sides' changes in different places are joined", () => {
  const merged = merge({ base: "1\n2\n3\n4\n", mine: "1\ntwo\n3\n4\n", theirs: "1\n2\n3\nfour\n" });
  assert.deepEqual(merged, { text: "1\ntwo\n3\nfour\n", conflicts: 0 });
});

test("the same line changed on both sides is marked", () => {
  const merged = merge({ base: "1\n2\n3\n", mine: "1\nmine\n3\n", theirs: "1\ntheirs\n3\n" });
  assert.deepEqual(merged, {
    text: "1\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> capstan\n3\n",
    conflicts: 1,
  });
});

test("lines that both sides added in one place are kept or marked, as requested", () => {
  const versions = { base: "[\n]\n", mine: "[\n  mine,\n]\n", theirs: "[\n  theirs,\n]\n" };
  assert.deepEqual(merge(versions, "keep-both"), { text: "[\n  mine,\n  theirs,\n]\n", conflicts: 0 });
  assert.equal(merge(versions).conflicts, 1);
});

test("a last line without a line break does not grow into a marker", () => {
  const { text: merged } = merge({ base: "a", mine: "b", theirs: "c" });
  assert.equal(merged, "<<<<<<< yours\nb\n=======\nc\n>>>>>>> capstan\n");
});
