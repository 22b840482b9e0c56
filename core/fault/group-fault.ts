/** The fault of a group that cannot be loaded or started as its files ask. */

/** Says what is wrong with a group; only that group is concerned. Source: groups 2, 3 (0x1) */
export class GroupFault extends Error {
  override readonly name = "GroupFault";
}
