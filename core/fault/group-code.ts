/** Codes of group management operations. Source: interface 7.4 */

/** Every code by its name. Source: interface 7.4 */
export const GROUP_CODE = {
  SUCCESS: 0x0,
  INTERNAL_ERROR: 0x1,
  GROUP_ALREADY_EXISTS: 0x2,
  GROUP_ALREADY_RUNNING: 0x3,
  GROUP_ALREADY_STOPPED: 0x4,
  GROUP_ALREADY_DELETED: 0x5,
  GROUP_NOT_FOUND: 0x6,
  INVALID_PARAMS: 0x7,
  PEERS_NOT_CONNECTED: 0x8,
  GENESIS_CONF_ALREADY_EXISTS: 0x9,
  GROUP_CONF_ALREADY_EXIST: 0xa,
  GENESIS_CONF_NOT_FOUND: 0xb,
  GROUP_CONF_NOT_FOUND: 0xc,
  GROUP_IS_STOPPING: 0xd,
  GROUP_NOT_DELETED: 0xf,
} as const satisfies Readonly<Record<string, number>>;

/** Name of a code. */
export type GroupCodeName = keyof typeof GROUP_CODE;
