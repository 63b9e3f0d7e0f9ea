import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, formatVersion, parseTolerant, parseVersion, readVersion } from "./semver.ts";
import { parseRange, readRange } from "./semver-range.ts";

test("versions parse strictly, with a message for errors", () => {
  assert.deepEqual(readVersion("1.2.3-rc.1+b.7"), {
    version: { major: 1n, minor: 2n, patch: 3n, pre: ["rc", 1n], build: ["b", "7"] },
  });
  assert.deepEqual(readVersion("1.2"), { problem: "No Major.Minor.Patch elements found" });
  assert.deepEqual(readVersion("01.2.3"), { problem: 'Major number must not contain leading zeroes "01"' });
  assert.deepEqual(readVersion("1.2.3-01"), {
    problem: 'Numeric PreRelease version must not contain leading zeroes "01"',
  });
});

test("what people write is understood", () => {
  for (const [text, means] of [
    ["v1.2", "1.2.0"],
    ["4", "4.0.0"],
    [" v01.02.3 ", "1.2.3"],
  ] as const) {
    const version = parseTolerant(text);
    assert.equal(version && formatVersion(version), means);
  }
  assert.equal(parseTolerant("1.2-rc"), undefined);
});

test("versions have the order that semver gives them", () => {
  const ascending = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
  ];
  const parsed = ascending.map((text) => parseVersion(text) ?? assert.fail(text));
  assert.deepEqual([...parsed].reverse().sort(compareVersions).map(formatVersion), ascending);
});

test("ranges", () => {
  const holds = (range: string, version: string): boolean | undefined =>
    parseRange(range)?.(parseVersion(version) ?? assert.fail(version));
  assert.equal(holds(">=1.0.0 <2.0.0", "1.5.0"), true);
  assert.equal(holds(">=1.0.0 <2.0.0", "2.0.0"), false);
  assert.equal(holds("> 1.0.0 || 0.5.x", "0.5.9"), true);
  assert.equal(holds("1.x", "2.0.0"), false);
  for (const wrong of ["", "||", "1.0.0 ||", "~1.0.0", "1.0", ">=a"]) assert.equal(parseRange(wrong), undefined, wrong);
});

test("ranges are read with the oddities of the original, and its messages", () => {
  const holds = (range: string, version: string): boolean | undefined =>
    parseRange(range)?.(parseVersion(version) ?? assert.fail(version));
  assert.equal(holds(">=1.0.0 <", "1.5.0"), true, "a single character is no word");
  assert.equal(holds("1.0.0 - 2.0.0", "1.5.0"), false);
  assert.equal(holds("1.x.x", "1.2.0"), false);
  assert.equal(holds(">=1.2.0||<0.5.0", "1.2.0"), undefined);
  const messages: { readonly [range: string]: string } = {
    x: "Last element in range is '||'",
    "|| 1.0.0": "First element in range is '||'",
    abc: 'Could not get version from string: "abc"',
    "~1.0.0": 'Could not parse Range "~1.0.0": Could not parse comparator "~" in "~1.0.0"',
    ">=1.0":
      'Could not parse Range ">=1.0": Could not parse version "1.0" in ">=1.0": No Major.Minor.Patch elements found',
  };
  for (const [range, problem] of Object.entries(messages)) assert.deepEqual(readRange(range), { problem });
});
