/** Runs an operator as a program: reads its settings once, connects, opens its doors, and ends when the process is told to. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { hostname } from "node:os";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { systemClock } from "../clock.ts";
import { apiOf } from "../client-api.ts";
import { messageOf } from "../failure.ts";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";
import { installCrds } from "./crds.ts";
import { healthDoor, metricsDoor } from "./doors.ts";
import type { DoorAnswer, DoorRequest } from "./doors.ts";
import { clusterGuard, openGuard } from "./guard.ts";
import { RunningOperator } from "./operator.ts";
import type { OperatorDefinition } from "./operator.ts";
import { readSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";

/** Runs until SIGTERM or SIGINT, or until the lease is lost; the exit code says which. */
export async function runOperator(definition: OperatorDefinition): Promise<void> {
  const clock = systemClock;
  const settings = await readSettings({
    args: process.argv.slice(2),
    env: process.env,
    readFile: (path) => readFile(path, "utf8"),
  });
  const log = createLog({ clock, level: settings.logLevel });
  const config = await loadConfig(processHost(), { kubeconfig: settings.kubeconfig, context: settings.context });
  const userAgent = definition.name ?? "capstan";
  await using client = createClient(config, {
    userAgent,
    onWarning: ({ text }) => log.warn(`the server warns: ${text}`),
  });
  const api = apiOf(client);
  if (settings.installCrds) await installCrds(definition.controllers, { api, clock, manager: userAgent });
  await using operator = new RunningOperator(definition, {
    api,
    clock,
    log,
    instance: hostname(),
    leaderElection: electionOf(settings, config.namespace),
    ...(settings.namespaces.length === 0 ? {} : { namespaces: settings.namespaces }),
  });
  await using doors = await openDoors({
    operator,
    settings,
    log,
    guard: settings.metricsSecure ? clusterGuard(api, clock) : openGuard,
  });
  log.info("started", { controllers: definition.controllers.map(({ name }) => name), doors: doors.addresses });
  await untilTold(operator, log);
  await operator.stop(settings.gracePeriod);
  log.info("stopped");
}

function electionOf(settings: Settings, namespace: string) {
  if (!settings.leaderElect) return undefined;
  return { namespace: settings.leaderElectionNamespace ?? namespace, identity: `${hostname()}_${randomUUID()}` };
}

async function untilTold(operator: RunningOperator, log: Log): Promise<void> {
  const told = Promise.withResolvers<void>();
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info("stopping", { signal });
    told.resolve();
  };
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
  const lost = operator.lost.then(() => {
    process.exitCode = 1;
  });
  await Promise.race([told.promise, lost]);
  process.off("SIGTERM", onSignal);
  process.off("SIGINT", onSignal);
}

interface Doors {
  readonly operator: RunningOperator;
  readonly settings: Settings;
  readonly log: Log;
  readonly guard: Parameters<typeof metricsDoor>[1];
}

async function openDoors({
  operator,
  settings,
  log,
  guard,
}: Doors): Promise<AsyncDisposable & { addresses: readonly string[] }> {
  const servers: Server[] = [];
  const open = async (
    address: string,
    door: (request: DoorRequest) => Promise<DoorAnswer>,
    secure: boolean,
  ): Promise<void> => {
    if (address !== "") servers.push(await listen(address, listener(door, log), secure));
  };
  await open(settings.healthAddress, healthDoor(operator), false);
  await open(settings.metricsAddress, metricsDoor(operator, guard), settings.metricsSecure);
  return {
    addresses: [settings.healthAddress, settings.metricsAddress].filter((address) => address !== ""),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function listen(address: string, listener: RequestListener, secure: boolean): Promise<Server> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/gu, "");
  const server = secure ? await secureServer(listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(address.slice(colon + 1)), host, resolve);
  });
  return server;
}

/** A certificate of its own making: scrapers trust the token that they send, not the name that they reach. */
async function secureServer(listener: RequestListener): Promise<Server> {
  const [{ createServer: createSecure }, { createAuthority, validFor }] = await Promise.all([
    import("node:https"),
    import("@capstan/pki"),
  ]);
  const now = new Date(systemClock.wall());
  const authority = createAuthority({ commonName: "capstan metrics", now, days: 3650 });
  const names = { dnsNames: ["localhost", hostname()] };
  const issued = authority.issue({
    ...validFor({ now, days: 3650 }),
    ...names,
    commonName: hostname(),
    usages: ["server"],
  });
  return createSecure({ cert: issued.certificate, key: issued.privateKey }, listener);
}

function listener(door: (request: DoorRequest) => Promise<DoorAnswer>, log: Log): RequestListener {
  return (request, response) => {
    door(toDoorRequest(request)).then(
      ({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body),
      (error: unknown) => {
        log.error(`could not answer ${request.url}: ${messageOf(error)}`);
        response.writeHead(500).end();
      },
    );
  };
}

function toDoorRequest({ method = "GET", url = "/", headers }: IncomingMessage): DoorRequest {
  return { method, path: url, authorization: headers.authorization };
}
