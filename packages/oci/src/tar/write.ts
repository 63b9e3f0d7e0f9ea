/** Writes tar archives: the same entries always give the same bytes. */
import { blockSize, type Entry, type EntryType, padding } from "./entry.ts";

const typeFlags: Readonly<Record<EntryType, string>> = {
  file: "0",
  link: "1",
  symlink: "2",
  character: "3",
  block: "4",
  directory: "5",
  fifo: "6",
};

/** An entry to write. Default: owned by root, from 1970. */
export type NewEntry = Partial<Omit<Entry, "path" | "size">> & { readonly path: string; readonly size?: number };

/** The header blocks of an entry: with a pax header first if the old format cannot hold a value. */
export function formatHeader(given: NewEntry): Buffer {
  const entry = complete(given);
  const records = paxRecords(entry);
  if (records === "") return ustar(entry, entry.path);
  const body = Buffer.from(records);
  const pax = ustar(
    { ...entry, type: "file", size: body.length, mode: 0o644, target: "" },
    `PaxHeaders/${shorten(entry.path)}`,
    "x",
  );
  return Buffer.concat([pax, body, Buffer.alloc(padding(body.length)), ustar(entry, shorten(entry.path))]);
}

/** Two empty blocks end an archive. */
export const endOfArchive: Buffer = Buffer.alloc(2 * blockSize);

function complete(entry: NewEntry): Entry {
  const type = entry.type ?? "file";
  const path = type === "directory" && !entry.path.endsWith("/") ? `${entry.path}/` : entry.path;
  const defaults = {
    mode: type === "directory" ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    size: 0,
    mtime: 0,
    target: "",
    major: 0,
    minor: 0,
    attributes: {},
  };
  return { ...defaults, ...entry, type, path };
}

function paxRecords({ path, target, size, uid, gid, attributes }: Entry): string {
  const records: [string, string][] = [];
  if (Buffer.byteLength(path) > 100 || !isAscii(path)) records.push(["path", path]);
  if (Buffer.byteLength(target) > 100 || !isAscii(target)) records.push(["linkpath", target]);
  if (size > 0o77777777777) records.push(["size", String(size)]);
  if (uid > 0o7777777) records.push(["uid", String(uid)]);
  if (gid > 0o7777777) records.push(["gid", String(gid)]);
  for (const name of Object.keys(attributes).sort()) records.push([`SCHILY.xattr.${name}`, attributes[name] ?? ""]);
  return records.map(([key, value]) => paxRecord(key, value)).join("");
}

/** `"<length> key=value\n"`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function ustar(entry: Entry, path: string, flag = typeFlags[entry.type]): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(path, 0, 100, "utf8");
  octal(block, 100, 8, entry.mode & 0o7777);
  octal(block, 108, 8, Math.min(entry.uid, 0o7777777));
  octal(block, 116, 8, Math.min(entry.gid, 0o7777777));
  octal(block, 124, 12, Math.min(entry.size, 0o77777777777));
  octal(block, 136, 12, entry.mtime);
  block.write("        ", 148);
  block.write(flag, 156);
  block.write(entry.target, 157, 100, "utf8");
  block.write("ustar\u000000", 257, "latin1");
  octal(block, 329, 8, entry.major);
  octal(block, 337, 8, entry.minor);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function octal(block: Buffer, at: number, length: number, value: number): void {
  block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
}

function shorten(path: string): string {
  return path.replaceAll(/[^\u0020-\u007e]/g, "_").slice(-100);
}

function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}
