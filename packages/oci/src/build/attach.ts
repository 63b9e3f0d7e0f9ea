/**
 * Attaches a document to an image: a bill of materials, a signature, a report. It is a separate image that names the other as its
 * subject.
 */
import type { Descriptor, Manifest } from "../image.ts";
import { mediaTypes } from "../media-types.ts";
import type { Store } from "../store/store.ts";

/** A document about an image. */
export interface Attachment {
  /** The media type: `application/spdx+json`, `application/vnd.cyclonedx+json` and so on. */
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly annotations?: { readonly [key: string]: string };
}

/** Stores a document as an attachment of an image; the same document gives the same digest. */
export async function attachDocument(
  subject: Descriptor,
  { type, bytes, annotations }: Attachment,
  store: Store,
): Promise<Descriptor> {
  const document = await store.write([bytes]);
  const manifest: Manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    artifactType: type,
    config: { mediaType: mediaTypes.empty, ...(await store.writeJson({})) },
    layers: [{ mediaType: type, ...document }],
    subject: { mediaType: subject.mediaType, digest: subject.digest, size: subject.size },
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { mediaType: mediaTypes.manifest, artifactType: type, ...(await store.writeJson(manifest)) };
}
