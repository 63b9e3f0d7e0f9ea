/**
 * The memory of several processes together: each page is counted once, however many of them map it. A page that other processes map too
 * is counted in full, so that they do not make the figure smaller.
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";

const PAGE = 4096;
/** An entry of /proc/PID/pagemap has 64 bits; these two are in its upper half. */
const isPresent = 2 ** 31;
const isOfFile = 2 ** 29;
const entryBytes = 8;

/** An address range of a process. */
interface Stretch {
  readonly start: number;
  readonly pages: number;
  /** The mapped file or shared memory. */
  readonly file: string;
  /** The offset of the range in the file, in pages. */
  readonly offset: number;
}

/** Resident bytes of these processes, shared pages once. */
export function onceCounted(pids: readonly number[]): number {
  const files = new Map<string, Set<number>>();
  let own = 0;
  for (const pid of pids) own += countPages(pid, files);
  const shared = [...files.values()].reduce((total, { size }) => total + size, 0);
  return (own + shared) * PAGE;
}

/**
 * Adds file pages to the sets of their files; returns the number of other pages. Pages that a process shares with its fork count for
 * each.
 */
function countPages(pid: number, files: Map<string, Set<number>>): number {
  const map = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    let own = 0;
    for (const { start, pages, file, offset } of residentStretches(readFileSync(`/proc/${pid}/smaps`, "utf8"))) {
      const seen = files.get(file) ?? new Set<number>();
      files.set(file, seen);
      for (const [index, flags] of entriesOf(map, start, pages)) {
        if ((flags & isPresent) === 0) continue;
        if ((flags & isOfFile) === 0) own++;
        else seen.add(offset + index);
      }
    }
    return own;
  } finally {
    closeSync(map);
  }
}

/** The upper half of each entry. */
function* entriesOf(map: number, start: number, pages: number): Generator<readonly [number, number]> {
  const chunk = Buffer.alloc(entryBytes * 8192);
  for (let first = 0; first < pages;) {
    const wanted = Math.min(chunk.length, (pages - first) * entryBytes);
    const got = readSync(map, chunk, 0, wanted, (start / PAGE + first) * entryBytes);
    if (got === 0) return;
    for (let at = 0; at < got; at += entryBytes) yield [first + at / entryBytes, chunk.readUInt32LE(at + 4)];
    first += got / entryBytes;
  }
}

/** Ranges with resident pages: a process has terabytes of addresses that it never touched. */
export function* residentStretches(smaps: string): Generator<Stretch> {
  const entry = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) (\S+) (\d+).*\n(?:[A-Z].*\n)*?Rss:\s+(\d+) kB/gm;
  for (const [, from = "", to = "", offset = "", device, inode, resident] of smaps.matchAll(entry)) {
    const start = Number.parseInt(from, 16);
    if (resident === "0") continue;
    yield {
      start,
      pages: (Number.parseInt(to, 16) - start) / PAGE,
      file: `${device} ${inode}`,
      offset: Number.parseInt(offset, 16) / PAGE,
    };
  }
}
