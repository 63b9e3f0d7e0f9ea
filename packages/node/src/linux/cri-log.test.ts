import assert from "node:assert/strict";
import { test } from "node:test";
import { createLogEncoder, endOfStream, parseLogLine } from "./cri-log.ts";

test("lines are written whole however they are chunked; the last may lack its end", () => {
  const encode = createLogEncoder("stdout", () => "T");
  assert.equal(encode(Buffer.from("on")), "");
  assert.equal(encode(Buffer.from("e\ntwo\nthr")), "T stdout F one\nT stdout F two\n");
  assert.equal(endOfStream(encode), "T stdout P thr\n");
  const complete = createLogEncoder("stderr", () => "T");
  complete(Buffer.from("one\n"));
  assert.equal(endOfStream(complete), "");
});

test("a line that is too long is written in parts", () => {
  const encode = createLogEncoder("stdout", () => "T");
  const written = encode(Buffer.from(`${"x".repeat(20_000)}\n`))
    .split("\n")
    .slice(0, -1);
  assert.deepEqual(
    written.map((line) => line.slice(0, 10)),
    ["T stdout P", "T stdout F"],
  );
  const entries = written.map((line) => parseLogLine(line));
  assert.equal(entries.map((entry) => entry?.text).join("").length, 20_000);
});

test("no character is lost where a long line is cut", () => {
  for (const character of ["é", "€", "🙂"]) {
    for (let shift = 0; shift < 4; shift++) {
      const text = "x".repeat(shift) + character.repeat(10_000);
      const bytes = Buffer.from(`${text}\n`);
      const encode = createLogEncoder("stdout", () => "T");
      // In chunks, as pipes deliver it: a chunk may also end in the middle of a character.
      const pieces = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, index) =>
        encode(bytes.subarray(index * 4096, (index + 1) * 4096)),
      );
      const lines = pieces.join("").split("\n").slice(0, -1);
      const read = lines.map((line) => parseLogLine(line)?.text).join("");
      assert.ok(read === text, `${character} after ${shift} bytes`);
    }
  }
});

test("a truncated line is not an entry", () => {
  assert.equal(parseLogLine("2030-01-01T"), undefined);
  assert.deepEqual(parseLogLine("T stderr F "), { time: "T", stream: "stderr", isWhole: true, text: "" });
});
