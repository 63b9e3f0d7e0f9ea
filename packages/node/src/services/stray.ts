/**
 * The mark of datagrams for whom nobody was when they came: whoever goes on sending is sent on as at first, so once somebody is there, what the
 * kernel made of them must be forgotten.
 */
export const strayMark = 0x7374_7261;
