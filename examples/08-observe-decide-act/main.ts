/** A Quorum grows and shrinks by one member at a time, and never while a member is unhealthy: the decision is a pure function. */
import { requeue, controller, defineResource, operator, s } from "capstan";

/** Stands for a replicated database: members by name, and whether each is healthy. */
export const database = { members: new Map<string, "well" | "ill">() };

export const Quorum = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Quorum",
  spec: s.object({ members: s.int32().min(1).default(1) }),
  conditions: { Complete: "There are as many members as were asked for, and all are well" },
});

export interface Seen {
  readonly wanted: number;
  readonly members: readonly { readonly name: string; readonly isWell: boolean }[];
}

/** Every possible action: a closed union. */
export type Action =
  | { readonly do: "wait"; readonly for: string }
  | { readonly do: "add"; readonly name: string }
  | { readonly do: "remove"; readonly name: string }
  | { readonly do: "rest" };

export function decide({ wanted, members }: Seen): Action {
  const ill = members.find(({ isWell }) => !isWell);
  if (ill !== undefined) return { do: "wait", for: ill.name };
  if (members.length < wanted) return { do: "add", name: `member-${members.length}` };
  const last = members.at(-1);
  if (members.length > wanted && last !== undefined) return { do: "remove", name: last.name };
  return { do: "rest" };
}

const nextStep = requeue("1s", { reason: "one step at a time" });

export const quorum = controller(
  Quorum,
  {},
  {
    observe: ({ object }): Seen => ({
      wanted: object.spec.members,
      members: [...database.members].map(([name, health]) => ({ name, isWell: health === "well" })),
    }),
    decide,
    // One handler per action: a missing one does not compile.
    act: {
      wait: ({ action, status }) => {
        status.condition("Complete", false, { reason: "MemberUnhealthy", message: `${action.for} is ill` });
        return requeue("10s", { reason: `waiting for ${action.for}` });
      },
      // A step is recorded before and after: after a crash the operator knows that it had begun.
      add: async ({ action, step }) => {
        await step(`add ${action.name}`, () => void database.members.set(action.name, "well"));
        return nextStep;
      },
      remove: async ({ action, step }) => {
        await step(`remove ${action.name}`, () => void database.members.delete(action.name));
        return nextStep;
      },
      rest: ({ status }) => status.condition("Complete", true),
    },
  },
);

export const app = operator({ name: "quorum", controllers: [quorum] });

await app.runIfMain(import.meta);
