import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atSocket } from "./socket-path.ts";

test("a short socket path is used as it is", () => {
  assert.equal(
    atSocket("/tmp/shim.sock", (name) => name),
    "/tmp/shim.sock",
  );
});

const skip = process.platform === "linux" ? false : "folders are held as Linux shows them";

test("a socket in a deep folder can be listened on and connected to", { skip }, async (t) => {
  const top = mkdtempSync(join(tmpdir(), "deep-"));
  t.after(() => rmSync(top, { recursive: true }));
  const folder = join(top, "d".repeat(100), "é".repeat(50));
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "shim.sock");
  const server = createServer((socket) => socket.end("here"));
  t.after(() => server.close());
  const listening = once(server, "listening");
  atSocket(path, (name) => server.listen(name));
  await listening;
  assert.ok(existsSync(path));
  const socket = atSocket(path, (name) => connect(name));
  const [said] = (await once(socket, "data")) as [Buffer];
  assert.equal(said.toString("utf8"), "here");
});
