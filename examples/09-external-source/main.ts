/** A Mailbox counts its letters: a source outside the cluster triggers its reconciles. */
import { EventEmitter, on } from "node:events";
import { controller, defineResource, operator, s, stream } from "capstan";

/** Stands for a message queue: letters by mailbox, and a bell that rings with its key. */
export const post = { letters: new Map<string, number>(), bell: new EventEmitter() };

export function deliver(key: string): void {
  post.letters.set(key, (post.letters.get(key) ?? 0) + 1);
  post.bell.emit("letter", key);
}

async function* rings(signal: AbortSignal): AsyncGenerator<string> {
  for await (const [key] of on(post.bell, "letter", { signal })) yield String(key);
}

export const Mailbox = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Mailbox",
  spec: s.object({ street: s.string().default("") }),
  status: s.object({ letters: s.int32() }),
  columns: { Letters: "status.letters" },
});

// Any async iterable of keys is a source. It only triggers a reconcile, which reads the actual state, so a lost event does no harm.
export const mailbox = controller(Mailbox, { sources: [stream(rings, { name: "the bell" })] }, ({ object, status }) => {
  const { namespace, name } = object.metadata;
  status.letters = post.letters.get(`${namespace}/${name}`) ?? 0;
});

export const app = operator({ name: "mailbox", controllers: [mailbox] });

await app.runIfMain(import.meta);
