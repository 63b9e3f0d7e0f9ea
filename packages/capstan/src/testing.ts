/** Tests of operators in virtual time, on the embedded API server: nothing to install, no sockets, no waiting. */
import { startApiServer } from "@capstan/apiserver";
import type { Operator } from "@capstan/runtime";
import { testOperator as testOn, type TestOptions, type TestWorld, VirtualClock } from "@capstan/runtime/testing";

export { VirtualClock } from "@capstan/runtime/testing";
export type { TestOptions, TestWorld } from "@capstan/runtime/testing";

/**
 * Starts an operator in a world of its own: the CRDs of its resources are installed, time moves only when the test says so.
 *
 * ```ts
 * await using world = await testOperator(app);
 * await world.apply(Memcached, "cache", { spec: { size: 3 } });
 * await world.settle();
 * ```
 */
export async function testOperator(operator: Operator, options: TestOptions = {}): Promise<TestWorld> {
  const clock = options.clock ?? new VirtualClock();
  const server = await startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
  });
  return testOn(operator, { fetch: server.fetch }, { ...options, clock });
}
