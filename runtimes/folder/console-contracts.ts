/**
 * Contracts that a console brings along: interfaces of precompiled contracts, and what tutorials
 * deploy. Source: console 1; precompiles 5, 14, 16
 */

const HELLO_WORLD = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.4.24 <0.9.0;

/// Keeps a greeting.
contract HelloWorld {
    string private greeting;

    constructor() public {
        greeting = "Hello, World!";
    }

    function get() public view returns (string memory) {
        return greeting;
    }

    function set(string memory next) public {
        greeting = next;
    }
}
`;

const TABLE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.0 <0.9.0;

/// The tables of the chain: a precompiled contract at 0x1001, and the objects that it makes.
interface TableFactory {
    /// The table; the zero address when there is none.
    function openTable(string calldata table) external view returns (Table);

    /// 0, or a code below 0. The fields are separated by commas.
    function createTable(string calldata table, string calldata keyField, string calldata fields)
        external
        returns (int256);
}

/// Rows of a key. What changes rows gives their number, or a code below 0.
interface Table {
    function select(string calldata key, Condition condition) external view returns (Entries);

    function insert(string calldata key, Entry entry) external returns (int256);

    function update(string calldata key, Entry entry, Condition condition)
        external
        returns (int256);

    function remove(string calldata key, Condition condition) external returns (int256);

    function newEntry() external view returns (Entry);

    function newCondition() external view returns (Condition);
}

/// One row.
interface Entry {
    function getInt(string calldata field) external view returns (int256);

    function getUInt(string calldata field) external view returns (uint256);

    function getAddress(string calldata field) external view returns (address);

    function getBytes64(string calldata field) external view returns (bytes1[64] memory);

    function getBytes32(string calldata field) external view returns (bytes32);

    function getString(string calldata field) external view returns (string memory);

    function set(string calldata field, int256 value) external;

    function set(string calldata field, uint256 value) external;

    function set(string calldata field, string calldata value) external;

    function set(string calldata field, address value) external;
}

/// Several rows.
interface Entries {
    function get(int256 index) external view returns (Entry);

    function size() external view returns (int256);
}

/// Which rows: all that is reported holds.
interface Condition {
    function EQ(string calldata field, int256 value) external;

    function EQ(string calldata field, string calldata value) external;

    function NE(string calldata field, int256 value) external;

    function NE(string calldata field, string calldata value) external;

    function GT(string calldata field, int256 value) external;

    function GE(string calldata field, int256 value) external;

    function LT(string calldata field, int256 value) external;

    function LE(string calldata field, int256 value) external;

    function limit(int256 count) external;

    function limit(int256 offset, int256 count) external;
}
`;

const KV_TABLE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.0 <0.9.0;

import "./Table.sol";

/// Tables with one row for each key: a precompiled contract at 0x1010.
interface KVTableFactory {
    function openTable(string calldata table) external view returns (KVTable);

    /// 0, or a code below 0. The fields are separated by commas.
    function createTable(string calldata table, string calldata keyField, string calldata fields)
        external
        returns (int256);
}

/// A table of them.
interface KVTable {
    /// Whether there is a row, and the row.
    function get(string calldata key) external view returns (bool, Entry);

    /// How many rows were written, or a code below 0.
    function set(string calldata key, Entry entry) external returns (int256);

    function newEntry() external view returns (Entry);
}
`;

const TABLE_TEST = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.6.0 <0.9.0;

import "./Table.sol";

/// Items in a table of the chain, found by name.
contract TableTest {
    TableFactory private constant FACTORY =
        TableFactory(0x0000000000000000000000000000000000001001);
    string private constant TABLE = "t_test";

    event CreateResult(int256 count);
    event InsertResult(int256 count);
    event UpdateResult(int256 count);
    event RemoveResult(int256 count);

    constructor() public {
        // The table may be there already: of an earlier deployment.
        emit CreateResult(FACTORY.createTable(TABLE, "name", "item_id,item_name"));
    }

    function select(string memory name)
        public
        view
        returns (string[] memory, int256[] memory, string[] memory)
    {
        Table table = FACTORY.openTable(TABLE);
        Entries entries = table.select(name, table.newCondition());
        uint256 size = uint256(entries.size());
        string[] memory names = new string[](size);
        int256[] memory ids = new int256[](size);
        string[] memory items = new string[](size);
        for (uint256 i = 0; i < size; ++i) {
            Entry entry = entries.get(int256(i));
            names[i] = entry.getString("name");
            ids[i] = entry.getInt("item_id");
            items[i] = entry.getString("item_name");
        }
        return (names, ids, items);
    }

    function insert(string memory name, int256 itemId, string memory itemName)
        public
        returns (int256 count)
    {
        Table table = FACTORY.openTable(TABLE);
        Entry entry = table.newEntry();
        entry.set("name", name);
        entry.set("item_id", itemId);
        entry.set("item_name", itemName);
        count = table.insert(name, entry);
        emit InsertResult(count);
    }

    function update(string memory name, int256 itemId, string memory itemName)
        public
        returns (int256 count)
    {
        Table table = FACTORY.openTable(TABLE);
        Entry entry = table.newEntry();
        entry.set("item_name", itemName);
        Condition condition = table.newCondition();
        condition.EQ("name", name);
        condition.EQ("item_id", itemId);
        count = table.update(name, entry, condition);
        emit UpdateResult(count);
    }

    function remove(string memory name, int256 itemId) public returns (int256 count) {
        Table table = FACTORY.openTable(TABLE);
        Condition condition = table.newCondition();
        condition.EQ("name", name);
        condition.EQ("item_id", itemId);
        count = table.remove(name, condition);
        emit RemoveResult(count);
    }
}
`;

const KV_TABLE_TEST = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.6.0 <0.9.0;

import "./KVTable.sol";

/// Items with a price, one for each ID.
contract KVTableTest {
    KVTableFactory private constant FACTORY =
        KVTableFactory(0x0000000000000000000000000000000000001010);
    string private constant TABLE = "t_kvtest";

    event SetResult(int256 count);

    constructor() public {
        FACTORY.createTable(TABLE, "id", "item_price,item_name");
    }

    function get(string memory id) public view returns (bool, int256, string memory) {
        (bool found, Entry entry) = FACTORY.openTable(TABLE).get(id);
        if (!found) return (false, 0, "");
        return (true, entry.getInt("item_price"), entry.getString("item_name"));
    }

    function set(string memory id, int256 itemPrice, string memory itemName)
        public
        returns (int256 count)
    {
        KVTable table = FACTORY.openTable(TABLE);
        Entry entry = table.newEntry();
        entry.set("id", id);
        entry.set("item_price", itemPrice);
        entry.set("item_name", itemName);
        count = table.set(id, entry);
        emit SetResult(count);
    }
}
`;

const CRYPTO = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.0 <0.9.0;

/// Hashes and signatures: a precompiled contract at 0x5006, on chains of both suites.
interface Crypto {
    function sm3(bytes calldata data) external view returns (bytes32);

    function keccak256Hash(bytes calldata data) external view returns (bytes32);

    /// Whether the signature is right, and the account of the key.
    function sm2Verify(bytes32 message, bytes calldata publicKey, bytes32 r, bytes32 s)
        external
        view
        returns (bool, address);

    /// Whether the proof is right, and the random number.
    function curve25519VRFVerify(
        string calldata input,
        string calldata vrfPublicKey,
        string calldata vrfProof
    ) external view returns (bool, uint256);
}
`;

const SHA_TEST = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.6.0 <0.9.0;

import "./Crypto.sol";

/// Hashes of three kinds, whatever the suite of the chain.
contract ShaTest {
    Crypto private constant CRYPTO = Crypto(0x0000000000000000000000000000000000005006);
    bytes private data = "Hello, ShaTest";

    function get() public view returns (bytes memory) {
        return data;
    }

    function set(bytes memory next) public {
        data = next;
    }

    function getSha256(bytes memory input) public pure returns (bytes32) {
        return sha256(input);
    }

    function getKeccak256(bytes memory input) public view returns (bytes32) {
        return CRYPTO.keccak256Hash(input);
    }

    function getSM3(bytes memory input) public view returns (bytes32) {
        return CRYPTO.sm3(input);
    }
}
`;

/** The sources by their file names. */
export const CONSOLE_CONTRACTS: Readonly<Record<string, string>> = {
  "HelloWorld.sol": HELLO_WORLD,
  "Table.sol": TABLE,
  "TableTest.sol": TABLE_TEST,
  "KVTable.sol": KV_TABLE,
  "KVTableTest.sol": KV_TABLE_TEST,
  "Crypto.sol": CRYPTO,
  "ShaTest.sol": SHA_TEST,
};
