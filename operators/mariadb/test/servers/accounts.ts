/** What MariaDB does with users, databases and passwords; run for each release. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserAccount } from "capstan/stateful";
import { accounts } from "../../src/accounts.ts";
import type { Sql } from "../../src/sql.ts";
import { Release } from "./server.ts";
import type { RealServer } from "./server.ts";

const shop: UserAccount = {
  name: "shop-app",
  passwords: ["one"],
  grants: [{ privileges: ["SELECT", "INSERT"], database: "my_shop", withGrantOption: false }],
  requireTls: false,
};

/** Registers the tests of one release. */
export function testAccounts(image: string): void {
  test(`users, databases and passwords of ${image}`, async (t) => {
    const release = await Release.unpack(t, image);
    const server = await release.start(t);
    await using primary = await server.operator("first");
    await t.test("a database gets its options, and keeps its data", () => keepsDatabase(primary));
    await t.test("a user gets its rights and no others", () => keepsRights(server, primary));
    await t.test("a rotation refuses no login and ends no connection", () => rotates(server, primary));
    await t.test("changes by hand are taken back, and a second run changes nothing", () => repairs(primary));
    await t.test("the operator's password is rotated from its own connection", () => rotatesOwn(server, primary));
    await t.test("what the server refuses is an error with its words", () => refuses(primary));
    await t.test("users and databases are dropped", () => drops(server, primary));
  });
}

async function keepsDatabase(primary: Sql): Promise<void> {
  const options = { characterSet: "utf8mb4", collation: "utf8mb4_bin" };
  await accounts.keepDatabase(primary, { name: "my_shop", options: {} });
  await primary.run("CREATE TABLE my_shop.orders (id INT)", "INSERT INTO my_shop.orders VALUES (1)");
  await accounts.keepDatabase(primary, { name: "my_shop", options });
  const [shown] = await primary.query(
    "SELECT default_collation_name AS name FROM information_schema.schemata WHERE schema_name = 'my_shop'",
  );
  assert.equal(shown?.["name"], "utf8mb4_bin");
  assert.deepEqual(await primary.query("SELECT id FROM my_shop.orders"), [{ id: "1" }]);
}

async function keepsRights(server: RealServer, primary: Sql): Promise<void> {
  await primary.run("CREATE DATABASE myxshop", "CREATE TABLE myxshop.orders (id INT)");
  await accounts.keepUser(primary, shop);
  const client = await server.connect("shop-app", "one");
  await client.query("INSERT INTO my_shop.orders VALUES (2)");
  await assert.rejects(client.query("DELETE FROM my_shop.orders"), /DELETE command denied/u);
  await assert.rejects(client.query("SELECT * FROM myxshop.orders"), /command denied/u, "_ is no pattern");
  const [, ...grants] = await grantsOf(primary);
  assert.deepEqual(grants, ["GRANT SELECT, INSERT ON `my\\_shop`.* TO `shop-app`@`%`"]);
  const wider = [
    { privileges: ["ALL"], database: "my_shop", withGrantOption: true },
    { privileges: ["SELECT"], database: "myxshop", table: "orders", withGrantOption: false },
    { privileges: ["REPLICATION CLIENT"], database: "*", withGrantOption: false },
  ];
  await accounts.keepUser(primary, { ...shop, grants: wider });
  await client.query("DELETE FROM my_shop.orders WHERE id = 2");
  assert.equal(await logPosition(primary, () => accounts.keepUser(primary, { ...shop, grants: wider })), 0);
  await accounts.keepUser(primary, shop);
  assert.deepEqual((await grantsOf(primary)).slice(1), grants, "narrower again");
  client.destroy();
}

async function grantsOf(primary: Sql): Promise<readonly string[]> {
  const rows = await primary.query("SHOW GRANTS FOR `shop-app`@'%'");
  return rows.map((row) => Object.values(row)[0] ?? "");
}

async function rotates(server: RealServer, primary: Sql): Promise<void> {
  const early = await server.connect("shop-app", "one");
  await accounts.keepUser(primary, { ...shop, passwords: ["one", "two"] });
  for (const password of ["one", "two"]) (await server.connect("shop-app", password)).destroy();
  await assert.rejects(server.connect("shop-app", "three"), /Access denied/u);
  await accounts.keepUser(primary, { ...shop, passwords: ["two"] });
  await assert.rejects(server.connect("shop-app", "one"), /Access denied/u);
  (await server.connect("shop-app", "two")).destroy();
  await early.query("SELECT * FROM my_shop.orders");
  early.destroy();
}

async function repairs(primary: Sql): Promise<void> {
  const wanted = { ...shop, passwords: ["two", "three"], connections: 7, requireTls: true };
  const keep = () => accounts.keepUser(primary, wanted);
  await keep();
  assert.equal(await logPosition(primary, keep), 0, "nothing is written");
  await primary.run("ALTER USER `shop-app`@'%' IDENTIFIED BY 'mine' REQUIRE NONE ACCOUNT LOCK");
  await primary.run("GRANT DROP ON *.* TO `shop-app`@'%'", "REVOKE INSERT ON `my\\_shop`.* FROM `shop-app`@'%'");
  await keep();
  const [first = "", ...grants] = await grantsOf(primary);
  assert.match(first, /^GRANT USAGE ON .* REQUIRE SSL .*MAX_USER_CONNECTIONS 7$/u);
  assert.deepEqual(grants, ["GRANT SELECT, INSERT ON `my\\_shop`.* TO `shop-app`@`%`"]);
  const [shown = {}] = await primary.query("SHOW CREATE USER `shop-app`@'%'");
  assert.doesNotMatch(Object.values(shown)[0] ?? "", /ACCOUNT LOCK/u);
  assert.equal(await logPosition(primary, keep), 0, "nothing is written");
}

/** Bytes that a change adds to the binary log. */
async function logPosition(primary: Sql, run: () => Promise<void>): Promise<number> {
  const position = async (): Promise<number> => Number((await primary.query("SHOW MASTER STATUS"))[0]?.["Position"]);
  const before = await position();
  await run();
  return (await position()) - before;
}

async function rotatesOwn(server: RealServer, primary: Sql): Promise<void> {
  await accounts.setPasswords(primary, "operator", ["first", "second"]);
  await using next = await server.operator("second");
  await accounts.setPasswords(next, "operator", ["second"]);
  await accounts.setPasswords(next, "replication", ["first", "second"]);
  await assert.rejects(server.operator("first"), /Access denied/u);
  (await server.connect("capstan_replication", "second")).destroy();
  await primary.query("SELECT 1");
}

async function refuses(primary: Sql): Promise<void> {
  const grants = [{ privileges: ["FLY"], database: "*", withGrantOption: false }];
  await assert.rejects(accounts.keepUser(primary, { ...shop, grants }), /error in your SQL syntax/u);
  await assert.rejects(accounts.keepDatabase(primary, { name: "d", options: { characterSet: "klingon" } }), /klingon/u);
}

async function drops(server: RealServer, primary: Sql): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await accounts.dropUser(primary, "shop-app");
    await accounts.dropDatabase(primary, "my_shop");
  }
  await assert.rejects(server.connect("shop-app", "two"), /Access denied/u);
}
