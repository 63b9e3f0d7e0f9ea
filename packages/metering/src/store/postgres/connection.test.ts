import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { connect } from "./connection.ts";

/** Accepts every login: AuthenticationOk and ReadyForQuery. */
const accepted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

test("a server that ends a connection in use rejects its queries, and not the process", async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}).once("data", () => socket.write(accepted));
  });
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { pool } = await connect(`postgres://meter@127.0.0.1:${(server.address() as AddressInfo).port}/usage`, 1);
  const client = await pool.connect();
  // Not by once of node:events, which listens to errors.
  const ended = new Promise<void>((resolve) => void client.once("end", resolve));
  for (const socket of sockets) socket.destroy();
  await ended;
  await assert.rejects(client.query("SELECT 1"));
  client.release(true);
  await pool.end();
});
