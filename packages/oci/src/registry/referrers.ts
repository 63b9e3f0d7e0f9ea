/** Attachments of images in registries: with the referrers API the registry keeps the list, otherwise the list is a tagged index. */
import { readIndex } from "../documents.ts";
import type { Descriptor, Index } from "../image.ts";
import { mediaTypes } from "../media-types.ts";
import { parseReference, type Reference } from "../reference.ts";
import { pushImage, type PushOptions } from "./push.ts";
import type { RegistrySession } from "./session.ts";

/** Pushes an attachment next to its image, which must already exist. */
export async function pushAttachment(
  attachment: Descriptor,
  reference: Reference,
  options: PushOptions,
): Promise<void> {
  const { store, session } = options;
  const { subject } = await store.readManifest(attachment.digest);
  const { registry, repository } = reference;
  await pushImage(attachment, { registry, repository, tag: undefined, digest: attachment.digest }, options);
  if (subject === undefined || (await listsSubjects(repository, subject.digest, session))) return;
  await addToList(attachment, { repository, tag: listName(subject.digest) }, session);
}

/** The attachments of an image, in registries of either kind. */
export async function findAttachments(
  name: string,
  digest: string,
  session: RegistrySession,
): Promise<readonly Descriptor[]> {
  const { repository } = parseReference(name);
  const answer = await session.ask(`/v2/${repository}/referrers/${digest}`, { method: "GET", expect: [404, 405] });
  if (answer.ok)
    return readIndex(await session.jsonOf(answer, "the list of attachments"), "list of attachments").manifests;
  return (await readList({ repository, tag: listName(digest) }, session)).manifests;
}

async function listsSubjects(repository: string, digest: string, session: RegistrySession): Promise<boolean> {
  const answer = await session.ask(`/v2/${repository}/referrers/${digest}`, { method: "GET", expect: [404, 405] });
  await answer.body?.cancel();
  return answer.ok;
}

/** The tag of such a list according to the distribution specification. */
function listName(digest: string): string {
  return digest.replace(":", "-");
}

interface ListPlace {
  readonly repository: string;
  readonly tag: string;
}

async function readList({ repository, tag }: ListPlace, session: RegistrySession): Promise<Index> {
  const headers = { accept: mediaTypes.index };
  const answer = await session.ask(`/v2/${repository}/manifests/${tag}`, { method: "GET", headers, expect: [404] });
  if (answer.ok) return readIndex(await session.jsonOf(answer, "the list of attachments"), "list of attachments");
  return { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [] };
}

async function addToList(attachment: Descriptor, place: ListPlace, session: RegistrySession): Promise<void> {
  const list = await readList(place, session);
  if (list.manifests.some(({ digest }) => digest === attachment.digest)) return;
  const bytes = Buffer.from(JSON.stringify({ ...list, manifests: [...list.manifests, attachment] }));
  await session.ask(`/v2/${place.repository}/manifests/${place.tag}`, {
    method: "PUT",
    headers: { "content-type": mediaTypes.index },
    body: () => bytes,
  });
}
