/** No write is sent after the lease was lost, whatever it waits for: the process may be suspended while others continue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess, processHost } from "@capstan/client";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { apiOf } from "../src/client-api.ts";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

/** A clock that continues while the process is suspended: timers that came due meanwhile run afterwards, one by one. */
class StoppableClock extends VirtualClock {
  #stopped = 0;

  override now(): number {
    return super.now() + this.#stopped;
  }

  stop(milliseconds: number): void {
    this.#stopped += milliseconds;
  }
}

const LEASE_DURATION = 15_000;

const copies = controller(ConfigMap, { name: "copies", owns: [Secret] }, async ({ object, apply, remove }) => {
  if (object.data?.["gone"] === "yes") await remove(Secret, object.metadata.name);
  else await apply(Secret, object.metadata.name, { data: { size: object.data?.["size"] ?? "" } });
});

for (const data of [{ size: "Mg==" }, { gone: "yes" }]) {
  test(`a suspended process sends no write after lease loss: ${JSON.stringify(data)}`, async () => {
    const clock = new StoppableClock();
    const server = await startApiServer({
      clock,
    });
    const sent: string[] = [];
    let [isBusy, isStopped] = [false, false];
    const target = inProcess(async (request) => {
      const { pathname } = new URL(request.url);
      // The response about the lease arrives later than the time of the retry.
      if (isStopped && pathname.includes("/leases/")) return new Promise(() => undefined);
      const isOfChild = request.method !== "GET" && pathname.endsWith("/secrets/a");
      if (isOfChild) sent.push(request.method);
      return isOfChild && isBusy
        ? new Response("busy", { status: 429, headers: { "retry-after": "2" } })
        : server.fetch(request);
    });
    const client = createClient(target, { host: { ...processHost(), clock, random: () => 0.5 } });
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const app = operator({ name: "test", controllers: [copies] });
    await using world = await testOperator(app, { api: apiOf(client) }, { clock, log });
    await world.apply(ConfigMap, "a", { data: { size: "MQ==" } });
    await world.settle();
    assert.equal(sent.length, 1);

    isBusy = true;
    await world.apply(ConfigMap, "a", { data });
    while (sent.length === 1) await clock.step();
    [isBusy, isStopped] = [false, true];
    clock.stop(2 * LEASE_DURATION);
    await world.advance("1m");
    assert.equal(sent.length, 2, "the write that the server was too busy for was not sent again");
    assert.deepEqual(
      errors.filter((message) => message.startsWith("the lease was lost")),
      ["the lease was lost; nothing is written any more"],
    );
  });
}

for (const what of ["step", "onChange"]) {
  test(`a suspended process does not run a ${what} after the lease was lost`, async () => {
    const clock = new StoppableClock();
    const api = new ModelApi(() => clock.wall());
    const patch = api.patch.bind(api);
    // The response to the begin record arrives after the lease was lost, and before any timer.
    api.patch = async (kind, key, body, options) => {
      const answer = await patch(kind, key, body, options);
      if (kind.kind === "ConfigMap" && JSON.stringify(body).includes("begun")) clock.stop(LEASE_DURATION);
      return answer;
    };
    const led: boolean[] = [];
    const act = (): void => void led.push(world.running.isLeader);
    const acts =
      what === "step"
        ? controller(ConfigMap, { name: "acts" }, async ({ step }) => await step("act", act))
        : controller(ConfigMap, { name: "acts", onFieldChange: { data: act } }, () => undefined);
    const app = operator({ name: "acting", controllers: [acts] });
    await using world = await testOperator(app, { api }, { clock, failures: "expected" });
    await world.apply(ConfigMap, "a", { data: { size: "1" } });
    await world.advance("1s");
    assert.ok(!led.includes(false), "acts only while it leads");
  });
}
