/** What happens in the model: writes of clients, replication, crashes, lost volumes, and the steps of the operator. */
import type { Action } from "../../cluster/action.ts";
import type { RecordedMember } from "../../cluster/observation.ts";
import { freshNode, rulesOf } from "./world.ts";
import type { Node, World } from "./world.ts";

export function change(world: World, name: string, update: (node: Node) => Partial<Node>): World {
  return { ...world, nodes: world.nodes.map((node) => (node.name === name ? { ...node, ...update(node) } : node)) };
}

function find(world: World, name: string): Node {
  return world.nodes.find((node) => node.name === name) ?? freshNode(name);
}

/** All that the world can do without the operator. */
export function* happenings(world: World): Iterable<readonly [string, World]> {
  for (const node of world.nodes) {
    yield* writes(world, node);
    yield* replications(world, node);
    yield* faults(world, node);
  }
}

function* writes(world: World, node: Node): Iterable<readonly [string, World]> {
  // An account with all rights writes to a frozen primary, too.
  const isWritable = node.accepts || (node.upstream === undefined && node.acknowledgements > 0);
  if (world.budget.writes === 0 || node.pod !== "up" || !isWritable) return;
  const id = world.written;
  const next = change(world, node.name, ({ received }) => ({
    received: [...received, id],
    applied: received.length + 1,
  }));
  const acknowledged = node.acknowledgements === 0 ? [...world.acknowledged, id] : world.acknowledged;
  const budget = { ...world.budget, writes: world.budget.writes - 1 };
  yield [`write ${id} on ${node.name}`, { ...next, written: id + 1, acknowledged, budget }];
}

function* replications(world: World, node: Node): Iterable<readonly [string, World]> {
  if (node.pod !== "up") return;
  if (node.applied < node.received.length) {
    yield [`${node.name} applies`, change(world, node.name, ({ received }) => ({ applied: received.length }))];
  }
  if (!node.isReceiving || node.isCut || node.upstream === undefined) return;
  const source = find(world, node.upstream);
  if (source.pod !== "up" || source.isCut) return;
  const place = rulesOf(world).compare(node.received, source.received);
  if (place === "same") return;
  if (place === "behind") yield [`${node.name} receives from ${source.name}`, receive(world, node, source)];
  else yield [`${node.name} stops`, change(world, node.name, () => ({ isReceiving: false, isDiverged: true }))];
}

/** The receiver acknowledges all that it has now. A write is acknowledged to its client when enough receivers have it. */
function receive(world: World, node: Node, source: Node): World {
  const next = change(world, node.name, () => ({ received: source.received }));
  const receivers = next.nodes.filter(({ upstream }) => upstream === source.name);
  const isHeard = (id: number): boolean =>
    receivers.filter(({ received }) => received.includes(id)).length >= source.acknowledgements;
  const heard = source.acknowledgements > 0 ? source.received.filter(isHeard) : [];
  const acknowledged = [...new Set([...world.acknowledged, ...heard])].toSorted((one, other) => one - other);
  return { ...next, acknowledged };
}

function* faults(world: World, node: Node): Iterable<readonly [string, World]> {
  const { budget } = world;
  if (node.pod === "up" && budget.crashes > 0) {
    const next = change(world, node.name, () => ({ pod: "down" }));
    yield [`${node.name} crashes`, { ...next, budget: { ...budget, crashes: budget.crashes - 1 } }];
  }
  if (node.pod === "down" && node.hasVolume) yield [`${node.name} restarts`, start(world, node.name)];
  if (node.isCut) yield [`${node.name} is reached again`, change(world, node.name, () => ({ isCut: false }))];
  if (!node.isCut && node.pod === "up" && budget.cuts > 0) {
    const next = change(world, node.name, () => ({ isCut: true }));
    yield [`${node.name} is cut off`, { ...next, budget: { ...budget, cuts: budget.cuts - 1 } }];
  }
  if (node.hasVolume && budget.losses > 0) {
    const next = change(world, node.name, () => ({ hasVolume: false, pod: "down", received: [], applied: 0 }));
    yield [`${node.name} loses its volume`, { ...next, budget: { ...budget, losses: budget.losses - 1 } }];
  }
}

/** A former primary that starts as a replica drops writes that no replica has; received writes that were not applied are fetched again. */
export function start(world: World, name: string): World {
  return change(world, name, (node) => {
    const leads = node.startRole === "primary";
    const applied = node.received.slice(0, node.applied);
    const received =
      leads || node.upstream !== undefined ? applied : applied.filter((id) => world.acknowledged.includes(id));
    return {
      pod: "up",
      run: node.run + 1,
      accepts: leads && node.upstream === undefined,
      acknowledgements: leads ? (world.wanted[world.size] ?? 0) : 0,
      isReceiving: false,
      isDiverged: false,
      received,
      applied: received.length,
    };
  });
}

/** The operator performs an action. Calls to members that are away fail and change nothing. */
export function act(world: World, action: Action): World {
  switch (action.do) {
    case "set-role":
      return change(world, action.member, () => ({ startRole: action.role, serves: action.serves }));
    case "create-volume":
      return change(world, action.member, () => ({ hasVolume: true }));
    case "delete-volume":
      return change(world, action.member, () => ({ hasVolume: false, received: [], applied: 0 }));
    case "delete-pod":
      return change(world, action.member, () => ({ pod: "none", serves: "none" }));
    case "create-pod":
      return createPod(world, action);
    case "follow":
      return recordLogin(callMembers(world, action), action.member);
    case "promote":
    case "fence":
    case "freeze":
    case "set-acknowledgements":
      return callMembers(world, action);
    default:
      return record(world, action);
  }
}

function recordLogin(world: World, name: string): World {
  const members = world.recorded.members.map((member) =>
    member.name === name ? { ...member, login: world.login } : member,
  );
  return { ...world, recorded: { ...world.recorded, members } };
}

function createPod(
  world: World,
  { member, boot, role, donors }: Extract<Action, { readonly do: "create-pod" }>,
): World {
  const placed = change(world, member, () => ({ startRole: role, serves: "none" }));
  if (boot !== "clone") return start(placed, member);
  const donor = donors.map((name) => find(world, name)).find(({ pod, isCut }) => pod === "up" && !isCut);
  if (donor === undefined) return world;
  const received = donor.received.slice(0, donor.applied);
  const copied = change(placed, member, () => ({ received, applied: received.length, upstream: "copy" }));
  return change(start(copied, member), member, () => ({ upstream: undefined }));
}

type Call = Extract<Action, { readonly do: "follow" | "promote" | "fence" | "freeze" | "set-acknowledgements" }>;

function callMembers(world: World, action: Call): World {
  const reach = (name: string): boolean => find(world, name).pod === "up" && !find(world, name).isCut;
  switch (action.do) {
    case "follow":
      if (!reach(action.member)) return world;
      return change(world, action.member, () => ({
        accepts: false,
        acknowledgements: 0,
        upstream: action.primary,
        isReceiving: true,
        isDiverged: false,
      }));
    case "promote":
      if (!reach(action.member)) return world;
      return change(world, action.member, () => ({
        accepts: true,
        acknowledgements: action.acknowledgements,
        upstream: undefined,
        isReceiving: false,
      }));
    case "set-acknowledgements":
      return reach(action.member) ? change(world, action.member, () => ({ acknowledgements: action.count })) : world;
    case "fence": {
      let next = world;
      for (const name of action.members) if (reach(name)) next = change(next, name, () => ({ isReceiving: false }));
      return next;
    }
    case "freeze":
      return freeze(world, action);
  }
}

/** Freezing waits for commits that are under way: with a write that waits for an acknowledgement it fails. */
function freeze(world: World, { from }: Extract<Action, { readonly do: "freeze" }>): World {
  const primary = find(world, from);
  if (primary.pod !== "up" || primary.isCut) return world;
  const isWaiting = primary.received.some((id) => !world.acknowledged.includes(id));
  return isWaiting ? world : change(world, from, () => ({ accepts: false }));
}

function record(world: World, action: Exclude<Action, Call>): World {
  const { recorded } = world;
  const members = (update: (member: RecordedMember) => RecordedMember): World => ({
    ...world,
    recorded: { ...recorded, members: recorded.members.map(update) },
  });
  const only = (name: string, state: RecordedMember["state"]): World =>
    members((member) => (member.name === name ? { name, state } : member));
  switch (action.do) {
    case "record-member": {
      const joined = [...recorded.members, { name: action.member, state: "Joining" as const }];
      const nodes = [...world.nodes, freshNode(action.member)];
      return { ...world, nodes, recorded: { ...recorded, nextSerial: recorded.nextSerial + 1, members: joined } };
    }
    case "admit":
      return only(action.member, "Joined");
    case "mark-leaving":
      return only(action.member, "Leaving");
    case "forget": {
      const rest = recorded.members.filter(({ name }) => name !== action.member);
      const nodes = world.nodes.filter(({ name }) => name !== action.member);
      return { ...world, nodes, recorded: { ...recorded, members: rest } };
    }
    case "record-sync": {
      const next = members((member) => ({ ...member, syncedRun: action.runs[member.name] ?? member.syncedRun }));
      return { ...next, recorded: { ...next.recorded, acknowledgements: action.acknowledgements } };
    }
    case "lower-acknowledgements":
      return { ...world, recorded: { ...recorded, acknowledgements: action.count } };
    case "begin-failover":
      return {
        ...world,
        recorded: {
          ...recorded,
          failover: { from: action.from, began: 0, why: action.why, isIsolated: action.isIsolated },
        },
      };
    case "cancel-failover":
      return { ...world, recorded: { ...recorded, failover: undefined } };
    case "begin-switchover":
      return { ...world, recorded: { ...recorded, switchover: { to: action.to, began: 1_000_000, why: action.why } } };
    case "cancel-switchover":
      return { ...world, recorded: { ...recorded, switchover: undefined } };
    case "appoint": {
      const next = members(({ name, state }) => ({ name, state }));
      const cleared = { failover: undefined, switchover: undefined, acknowledgements: 0 };
      return { ...next, recorded: { ...next.recorded, ...cleared, primary: action.member, epoch: recorded.epoch + 1 } };
    }
    default:
      return world;
  }
}
