/**
 * The conntrack mark of UDP packets that had no backend. The kernel keeps forwarding later packets of the same flow in the same way, so
 * these entries must be deleted when a backend appears.
 */
export const strayMark = 0x7374_7261;
