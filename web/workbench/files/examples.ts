/** Sources to begin with. */

/** An example: one file, or several that belong together; the last one is the one to read. */
export interface Example {
  /** Key of its title. */
  readonly title: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

const HELLO_WORLD = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// Keeps a greeting, and reports every new one.
contract HelloWorld {
    string private greeting;

    event Greeted(address indexed by, string greeting);

    constructor(string memory first) {
        greeting = first;
    }

    function get() public view returns (string memory) {
        return greeting;
    }

    function set(string memory next) public {
        require(bytes(next).length > 0, "an empty greeting");
        greeting = next;
        emit Greeted(msg.sender, next);
    }
}
`;

const TOKEN = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.4;

/// A token with a fixed supply, which its creator owns at first.
contract Token {
    string public name;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Insufficient(uint256 wanted, uint256 available);

    constructor(string memory title, uint256 supply) {
        name = title;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) public returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) public returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) public returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value) revert Insufficient(value, allowed);
        allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) private {
        uint256 available = balanceOf[from];
        if (available < value) revert Insufficient(value, available);
        balanceOf[from] = available - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
`;

const TABLE = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.0 <0.9.0;

/// The tables of the chain: a precompiled contract at 0x1001 and the objects that it makes.
/// On a chain of the national suite their selectors are made with SM3, so contracts that a
/// compiler for Keccak-256 made cannot call them there.
interface TableFactory {
    function createTable(string calldata table, string calldata keyField, string calldata fields)
        external
        returns (int256);

    function openTable(string calldata table) external returns (Table);
}

interface Table {
    function newEntry() external returns (Entry);

    function newCondition() external returns (Condition);

    function select(string calldata key, Condition condition) external returns (Entries);

    function insert(string calldata key, Entry entry) external returns (int256);

    function update(string calldata key, Entry entry, Condition condition)
        external
        returns (int256);

    function remove(string calldata key, Condition condition) external returns (int256);
}

interface Entry {
    function getInt(string calldata field) external returns (int256);

    function getString(string calldata field) external returns (string memory);

    function set(string calldata field, int256 value) external;

    function set(string calldata field, string calldata value) external;
}

interface Entries {
    function get(int256 index) external returns (Entry);

    function size() external returns (int256);
}

interface Condition {
    function EQ(string calldata field, string calldata value) external;

    function EQ(string calldata field, int256 value) external;

    function limit(int256 count) external;
}
`;

const NOTES = `// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.6.0 <0.9.0;

import "./Table.sol";

/// Notes of many authors in a table of the chain, which other contracts may read too.
contract Notes {
    TableFactory private constant FACTORY =
        TableFactory(0x0000000000000000000000000000000000001001);
    string private constant TABLE = "t_notes";

    event Written(string author, string note, int256 rows);
    event Removed(string author, int256 rows);

    constructor() public {
        int256 code = FACTORY.createTable(TABLE, "author", "note");
        // -50001: another deployment of this contract has made the table.
        require(code == 0 || code == -50001, "the table was not made");
    }

    function write(string memory author, string memory note) public returns (int256 rows) {
        Table table = FACTORY.openTable(TABLE);
        Entry entry = table.newEntry();
        entry.set("note", note);
        rows = table.insert(author, entry);
        emit Written(author, note, rows);
    }

    function count(string memory author) public returns (int256) {
        Table table = FACTORY.openTable(TABLE);
        return table.select(author, table.newCondition()).size();
    }

    function read(string memory author, int256 index) public returns (string memory) {
        Table table = FACTORY.openTable(TABLE);
        return table.select(author, table.newCondition()).get(index).getString("note");
    }

    function removeAll(string memory author) public returns (int256 rows) {
        Table table = FACTORY.openTable(TABLE);
        rows = table.remove(author, table.newCondition());
        emit Removed(author, rows);
    }
}
`;

/** The examples, the simplest first. */
export const EXAMPLES: readonly Example[] = [
  { title: "workbench.example.hello", files: [{ name: "HelloWorld.sol", text: HELLO_WORLD }] },
  { title: "workbench.example.token", files: [{ name: "Token.sol", text: TOKEN }] },
  {
    title: "workbench.example.table",
    files: [
      { name: "Table.sol", text: TABLE },
      { name: "Notes.sol", text: NOTES },
    ],
  },
];
