import assert from "node:assert/strict";
import { test } from "node:test";
import { tokensOf } from "../rename/tokens.ts";
import { mergeSource } from "./source.ts";

const base = `import { operator } from "capstan";
import { a } from "./a.ts";

export const app = operator({
  name: "x",
  controllers: [
    a,
  ],
});
`;
const theirs = base
  .replace(`"./a.ts";\n`, `"./a.ts";\nimport { b } from "./b.ts";\n`)
  .replace("    a,\n", "    a,\n    b,\n");

const formats: { readonly [format: string]: (text: string) => string } = {
  "lists on one line": (text) => text.replace(/\[\s+a,\s+\]/, "[a]"),
  "single quotes and no semicolons": (text) => text.replaceAll('"', "'").replaceAll(";", ""),
  "tabs and Windows line ends": (text) => text.replaceAll("  ", "\t").replaceAll("\n", "\r\n"),
  "no last commas": (text) => text.replaceAll(/,(?=\s*[\]}])/g, ""),
};

const meaningOf = (text: string): string =>
  tokensOf(text)
    .map((token) => token.text.replaceAll("'", '"'))
    .filter((word) => word !== ";")
    .join(" ")
    .replaceAll(/, (?=[\]})])/g, "");

for (const [format, reformat] of Object.entries(formats)) {
  test(`an import and a list element reach a source with ${format}`, () => {
    const merged = mergeSource({ base, mine: reformat(base), theirs }, "keep-both") ?? "";
    assert.equal(meaningOf(merged), meaningOf(theirs));
  });

  test(`they leave a source with ${format} again`, () => {
    const mine = reformat(theirs).replace(/\[\s+a,\s+b,?\s+\]/, "[a, b]");
    const merged = mergeSource({ base: theirs, mine, theirs: base }, "keep-both") ?? "";
    assert.equal(meaningOf(merged), meaningOf(base));
  });
}

test("an addition to a list on one line stays on the line", () => {
  const merged = mergeSource({ base, mine: base.replace(/\[\s+a,\s+\]/, "[a]"), theirs }, "keep-both");
  assert.match(merged ?? "", /^ {2}controllers: \[a, b\],$/m);
});

test("the last element leaves no comma behind", () => {
  const empty = base.replace("    a,\n", "");
  const merged = mergeSource({ base, mine: base.replace(/\[\s+a,\s+\]/, "[a,]"), theirs: empty });
  assert.match(merged ?? "", /controllers: \[\]/);
});

test("additions of both sides stay, the user's first", () => {
  const mine = base.replace(/\[\s+a,\s+\]/, "[a, mine]");
  assert.match(mergeSource({ base, mine, theirs }, "keep-both") ?? "", /\[a, mine, b\]/);
  assert.equal(mergeSource({ base, mine, theirs }, "mark"), undefined);
});

test("tokens that both sides changed are a conflict", () => {
  const mine = base.replace('"x"', '"mine"');
  assert.equal(mergeSource({ base, mine, theirs: base.replace('"x"', '"theirs"') }, "keep-both"), undefined);
});

test("a user's comment in a part that goes is a conflict", () => {
  const mine = theirs.replace("    b,", "    // keep this\n    b,");
  assert.equal(mergeSource({ base: theirs, mine, theirs: base }, "keep-both"), undefined);
});
