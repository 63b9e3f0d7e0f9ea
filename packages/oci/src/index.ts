/** Container images without a daemon: read, build, push, pull and unpack. */
export { OciError } from "./errors.ts";
export type { OciErrorCode } from "./errors.ts";
export { formatReference, parseReference } from "./reference.ts";
export type { Reference } from "./reference.ts";
export { platformOf } from "./image.ts";
export type { Descriptor, ImageConfig, Index, Manifest, Platform } from "./image.ts";
export { mediaTypes } from "./media-types.ts";
export { openStore, Store } from "./store/store.ts";
export type { StoredImage } from "./store/store.ts";
export { unpackLayer } from "./unpack/unpack.ts";
export type { UnpackOptions } from "./unpack/unpack.ts";
export { readTar } from "./tar/read.ts";
export type { ReadEntry } from "./tar/read.ts";
export { endOfArchive, formatHeader } from "./tar/write.ts";
export type { NewEntry } from "./tar/write.ts";
export type { Entry, EntryType } from "./tar/entry.ts";
