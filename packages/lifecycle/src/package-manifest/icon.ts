/** The icon of a package: that of the head of its default channel, or a plain one. */
import type { PackageManifest } from "./manifest.ts";

/** An icon with its type; the tag says to which version it belongs. */
export interface PackageIcon {
  readonly data: Uint8Array;
  readonly type: string;
  readonly tag: string;
}

const PLAIN =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="6" y="6" width="52" height="52" rx="8" fill="none" stroke="#8d8d8f" stroke-width="4"/><path d="M20 32h24M32 20v24" stroke="#8d8d8f" stroke-width="4"/></svg>\n';

/** The icon of a manifest. */
export function iconOf({ metadata, status }: PackageManifest): PackageIcon {
  const channel = status.channels.find(({ name }) => name === status.defaultChannel);
  const [icon] = channel?.currentCSVDesc.icon ?? [];
  if (channel === undefined || icon === undefined) {
    return { data: Buffer.from(PLAIN), type: "image/svg+xml", tag: "" };
  }
  const tag = `"${[metadata.name, channel.name, channel.currentCSV].join(".")}"`;
  return { data: Buffer.from(icon.base64data ?? "", "base64"), type: icon.mediatype ?? "", tag };
}
