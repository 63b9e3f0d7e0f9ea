/** A small replicated database with clients, in memory: what the decisions are explored on. A write is a number, a history a list. */
import type { MemberReport } from "../../application.ts";
import type { Action } from "../../cluster/action.ts";
import type { Observation, ObservedPod, RecordedState, Rules } from "../../cluster/observation.ts";
import { compareHistories } from "../memory/server.ts";
import type { History } from "../memory/server.ts";

/** One member: its pod, its volume, its server. */
export interface Node {
  readonly name: string;
  readonly pod: "none" | "up" | "down";
  readonly run: number;
  readonly startRole: "primary" | "replica";
  readonly serves: ObservedPod["serves"];
  readonly hasVolume: boolean;
  /** Neither the operator nor other members reach it; clients do. */
  readonly isCut: boolean;
  readonly accepts: boolean;
  readonly acknowledgements: number;
  readonly upstream: string | undefined;
  readonly isReceiving: boolean;
  readonly isDiverged: boolean;
  readonly received: readonly number[];
  /** How many of the received writes are applied. Received writes that are not applied are lost with a restart. */
  readonly applied: number;
}

export interface World {
  /** What the operator decided on and did not do yet: the world may change in between. */
  readonly pending?: Action | undefined;
  readonly nodes: readonly Node[];
  readonly recorded: RecordedState;
  /** Writes that were acknowledged to a client. */
  readonly acknowledged: readonly number[];
  readonly written: number;
  /** What may still go wrong. */
  readonly budget: {
    readonly writes: number;
    readonly crashes: number;
    readonly cuts: number;
    readonly losses: number;
  };
  /** The password of replicas after a rotation. */
  readonly login?: string | undefined;
  readonly size: number;
  readonly mode: "Safe" | "Available";
  /** Acknowledgements by the number of members. */
  readonly wanted: readonly number[];
}

/** The most members of a model. */
const LARGEST = 7;

/** The rules of a world. */
export function rulesOf({ wanted }: Pick<World, "wanted">): Rules<History> {
  return { compare: compareHistories, acknowledgements: (size) => wanted[size] ?? 0 };
}

/** What a model starts with. */
export interface Begin {
  readonly size: number;
  readonly budget: World["budget"];
  /** How many replicas store a write before its client hears of it, in a cluster of this size. */
  readonly acknowledgements: (size: number) => number;
}

/** A settled cluster. */
export function settledWorld({ size, budget, acknowledgements }: Begin): World {
  const wanted = Array.from({ length: LARGEST + 1 }, (_, members) => acknowledgements(members));
  const own = acknowledgements(size);
  const names = Array.from({ length: size }, (_, at) => `m-${at}`);
  const nodes = names.map((name, at) => ({
    ...freshNode(name),
    pod: "up" as const,
    run: 1,
    hasVolume: true,
    startRole: at === 0 ? ("primary" as const) : ("replica" as const),
    serves: at === 0 ? ("primary" as const) : ("replica" as const),
    accepts: at === 0,
    acknowledgements: at === 0 ? own : 0,
    upstream: at === 0 ? undefined : "m-0",
    isReceiving: at > 0,
  }));
  const members = names.map((name, at) => ({
    name,
    state: "Joined" as const,
    ...(at === 0 ? {} : { syncedRun: `${name}/1` }),
  }));
  const recorded: RecordedState = {
    lineage: "L",
    isCreated: true,
    epoch: 1,
    primary: "m-0",
    nextSerial: size,
    acknowledgements: own,
    members,
  };
  return { nodes, recorded, acknowledged: [], written: 0, budget, size, mode: "Safe", wanted };
}

export function freshNode(name: string): Node {
  return {
    name,
    pod: "none",
    run: 0,
    startRole: "replica",
    serves: "none",
    hasVolume: false,
    isCut: false,
    accepts: false,
    acknowledgements: 0,
    upstream: undefined,
    isReceiving: false,
    isDiverged: false,
    received: [],
    applied: 0,
  };
}

/** What the operator sees. Silence counts as long at once: the model has no clock. */
export function observeWorld({ nodes, recorded, size, mode, login }: World): Observation<History> {
  const present = nodes.filter(({ pod }) => pod !== "none");
  const statuses = nodes.map((node) => {
    const hears = node.pod === "up" && !node.isCut;
    const status = hears
      ? ({ is: "responding", report: reportOf(node) } as const)
      : ({ is: "silent", why: "away", forMs: 1_000_000 } as const);
    return [node.name, status] as const;
  });
  return {
    name: "m",
    now: 1_000_000,
    desired: {
      generation: 1,
      isPaused: false,
      size,
      version: "1",
      failoverMode: mode,
      failoverAfter: 1,
      availableAfter: 1,
      volumeBytes: 1,
      maintenance: { isOpen: true },
      refused: [],
      replicationLogin: login,
      templateHash: "t",
    },
    recorded,
    pods: present.map((node) => ({
      member: node.name,
      uid: node.name,
      run: node.pod === "up" ? `${node.name}/${node.run}` : undefined,
      state: "running",
      isReady: node.pod === "up",
      boot: "run",
      startRole: node.startRole,
      serves: node.serves,
      templateHash: "t",
      hasNoData: false,
      isNodeLost: false,
    })),
    volumes: nodes
      .filter(({ hasVolume }) => hasVolume)
      .map(({ name }) => ({ member: name, state: "bound", requested: 1, capacity: 1 })),
    statuses: Object.fromEntries(statuses),
    isolatedForMs: nodes.some(({ pod, isCut, isReceiving }) => pod === "up" && !isCut && isReceiving) ? 0 : 1_000_000,
    foreign: [],
    missing: [],
  };
}

function reportOf(node: Node): MemberReport<History> {
  const role = node.upstream !== undefined ? "replica" : node.accepts ? "primary" : "detached";
  return {
    version: "1",
    lineage: "L",
    role,
    acceptsWrites: node.accepts,
    received: node.received,
    applied: node.received.slice(0, node.applied),
    upstream: node.upstream,
    isReceiving: node.isReceiving,
    acknowledgements: node.acknowledgements,
    waitingForAcknowledgement: 0,
    ...(node.isDiverged ? { replicationError: { code: "Diverged", message: "diverged" } } : {}),
  };
}
