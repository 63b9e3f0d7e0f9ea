/** The Huffman code of HPACK (RFC 7541, appendix B), for decoding only: we send plain strings. */

/**
 * The code length of each byte as a base-36 digit. The code is canonical, so the lengths define it: codes are assigned by length, then by
 * byte.
 */
const LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f56565666577666567655677777fbed" +
  "skmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq";

/** A tree in one array: the children of node n are at 2n and 2n+1; a byte is stored as its complement. */
const tree: Int32Array = buildTree();

function buildTree(): Int32Array {
  const nodes = new Int32Array(1024);
  const lengths = Array.from(LENGTHS, (digit) => Number.parseInt(digit, 36));
  const bytes = lengths.map((_, byte) => byte).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  let code = 0;
  let length = 0;
  let used = 1;
  for (const byte of bytes) {
    const wanted = lengths[byte] ?? 0;
    code *= 2 ** (wanted - length);
    length = wanted;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const place = node * 2 + (Math.floor(code / 2 ** bit) % 2);
      if (nodes[place] === 0) nodes[place] = used++;
      node = nodes[place] ?? 0;
    }
    nodes[node * 2 + (code % 2)] = ~byte;
    code += 1;
  }
  return nodes;
}

const text = Buffer.allocUnsafe(16 * 1024);

/** Decodes bytes to text; undefined if they are invalid. */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string | undefined {
  // The shortest code has five bits.
  const out = (to - from) * 2 > text.length ? Buffer.allocUnsafe((to - from) * 2) : text;
  let length = 0;
  let node = 0;
  let ones = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    for (let bit = 7; bit >= 0; bit -= 1) {
      const one = (byte >> bit) & 1;
      const next = tree[node * 2 + one] ?? 0;
      ones = one === 1 ? ones + 1 : 0;
      if (next < 0) {
        out[length++] = ~next;
        node = 0;
        ones = 0;
      } else if (next === 0) return undefined;
      else node = next;
    }
  }
  // The remaining bits must be a prefix of the end-of-string code: fewer than eight ones.
  return node === 0 || (ones < 8 && isOnes(node, ones)) ? out.toString("latin1", 0, length) : undefined;
}

/** Whether a node is reached from the root by ones only. */
function isOnes(node: number, ones: number): boolean {
  let at = 0;
  for (let step = 0; step < ones; step += 1) at = tree[at * 2 + 1] ?? 0;
  return at === node;
}
