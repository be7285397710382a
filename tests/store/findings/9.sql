PRAGMA application_id = 1447645773;
PRAGMA user_version = 9;
BEGIN TRANSACTION;
CREATE TABLE campaign (
	id INTEGER NOT NULL CHECK (id = 1), 
	plan_text TEXT NOT NULL, 
	plan_json TEXT NOT NULL, 
	seed INTEGER NOT NULL, 
	created_at TEXT NOT NULL, 
	host_json TEXT NOT NULL, 
	versions_json TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "campaign" VALUES(1,'virtometer: 1
name: simulated
','{"virtometer":1,"name":"simulated","question":"What does each environment cost?","environments":[{"name":"native","kind":"native","settings":{},"timing":"auto"},{"name":"user-mode Linux","kind":"uml","settings":{},"timing":"auto"},{"name":"box","kind":"runc","settings":{},"timing":"auto"},{"name":"slow","kind":"qemu","settings":{},"timing":"auto"},{"name":"bare","kind":"bubblewrap","settings":{},"timing":"auto"},{"name":"KVM","kind":"kvm","settings":{},"timing":"auto"}],"baseline":"native","workloads":[{"name":"disk 4k random read","workload":"disk","op":"random-read","parameters":{},"threads":1,"seconds":null,"scheduling":"auto","factors":{},"levels":{},"of":""},{"name":"context switch","workload":"os","op":"context-switch","parameters":{},"threads":1,"seconds":null,"scheduling":"auto","factors":{},"levels":{},"of":""}],"blocks":6,"seconds":1.0,"slice_s":0.025,"fresh":"trial","unavailable":"skip","seed":null,"control":true,"precision":null,"budget_s":null,"margin":0.05,"verdict":"total","disk_span":536870912,"limits":{"start_s":60.0,"prepare_s":60.0,"run_extra_s":30.0,"answer_s":10.0,"clock_error":0.005},"rules":{"max_steal_share":0.05,"max_swap_pages":0,"min_free_memory_bytes":268435456,"max_stall_share":0.1,"max_foreign_load":0.25,"max_run_delay_share":0.1,"max_throttling":0,"max_kernel_errors":0}}',7,'2026-01-02T03:04:05.678+00:00','{"cpu_model":"Simulated 3000","cpus_online":2,"kernel":"6.1"}','{"virtometer":"0.1.0","agent":"0.1.0"}');
CREATE TABLE commands (
	position INTEGER NOT NULL, 
	at TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	argv_json TEXT NOT NULL, 
	status INTEGER, 
	PRIMARY KEY (position)
);
INSERT INTO "commands" VALUES(1,'2026-01-02T03:00:00.000+00:00','start a container','["runc","run","--bundle","/b <x>","id"]',0);
CREATE TABLE entries (
	entry INTEGER NOT NULL, 
	trial INTEGER, 
	guests INTEGER NOT NULL, 
	commands INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	stages INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "entries" VALUES(1,NULL,0,1,'8b27aed12526a0c504780a9da27055f55af0645179499f48f7717d1973a99325',0);
INSERT INTO "entries" VALUES(2,0,1,1,'05fc7ae0cef368cfb096321607ecdd3a7e5f9caaba3a2adb999fa0cd262825c7',0);
INSERT INTO "entries" VALUES(3,1,2,1,'a915540c5acc8104efe24b44d3ddbaf78f98355b649adfbe395b2649109d2448',0);
INSERT INTO "entries" VALUES(4,2,3,1,'af06cf6c09bf3dc85652a130b7c037159b348fd4badbb0c6b6978937cfe2a850',0);
INSERT INTO "entries" VALUES(5,3,4,1,'794e18dbb16638830b866e19f12fd37a42e4e8fa143bd147f5d10b7f8fa571ef',0);
INSERT INTO "entries" VALUES(6,4,5,1,'f2e4ca41027133e1a1a227148a85197fc1820c4d3802decf310fd85f74eb22f8',0);
INSERT INTO "entries" VALUES(7,5,6,1,'98afa9691d3352f4f4589bd735bb4f7549f02cc011feafebb96a13724717a76f',0);
INSERT INTO "entries" VALUES(8,6,7,1,'9c28431e67d58d0ac8c6d2cb61f94301e9e08dc8bd501720fe6854f3bdec4dda',0);
INSERT INTO "entries" VALUES(9,7,8,1,'72a9d94355e802c3d74c36cd96954494478649ae942f4d66e45c5b4c6c10ebb0',0);
INSERT INTO "entries" VALUES(10,8,9,1,'f24c3162fe0ab13132fab22317f72cbcc70afc5cb37ef150b3504008eacade70',0);
INSERT INTO "entries" VALUES(11,9,10,1,'b9e78ad7e7d5ec34b673f80f1cc022f35afa8195ac582672e5168c5e91b3a6ce',0);
INSERT INTO "entries" VALUES(12,10,11,1,'ccafe3fe5af9af4d95a43b2d5ae51a1761b891696c913ea502a9de0dea8e15bf',0);
INSERT INTO "entries" VALUES(13,11,12,1,'224f15f0d206664a55b3e8990cb7a84655fd54567adcad15b92c7101388a95f2',0);
INSERT INTO "entries" VALUES(14,12,13,1,'381e9ad1d165af91b8bb1f46a2324f8aaa1a6dae7199353934b46e2cb6400855',0);
INSERT INTO "entries" VALUES(15,13,14,1,'fa7c4a9bb6f130e456a1c00e27ff40cd2c254f82985059507eaaf829a3b89222',0);
INSERT INTO "entries" VALUES(16,14,15,1,'6f9cfffa71fb37dd9b8706dc028cb7b18049e9264985fffde8b3373e0c902646',0);
INSERT INTO "entries" VALUES(17,15,16,1,'87775ff5f65782193a16e0cea169925ad1eda856f931bcb5eb9c6ecd7da60674',0);
INSERT INTO "entries" VALUES(18,16,17,1,'3788d03979f06ab52c39694c889d4a076c8c4dfc02e250b0d95318b52c220356',0);
INSERT INTO "entries" VALUES(19,17,18,1,'4bb9e4547e27fd2b5f6c9ba5841a8d79201c96ae86386a6fbe46384d9a085912',0);
INSERT INTO "entries" VALUES(20,18,19,1,'007be0474d11fc388a9c955ae5a695a03a23b4af98edff3159c13c31fc8849ba',0);
INSERT INTO "entries" VALUES(21,19,20,1,'a31811caa5c5d0c8c8519bdac7c7fe761425fd3c2bfd2fdec0ab75b4272b55ac',0);
INSERT INTO "entries" VALUES(22,20,21,1,'bd10553ee6c2c99c6395079684ce4b4fe26d15d749cce39598605b34c71e6893',0);
INSERT INTO "entries" VALUES(23,21,22,1,'cd3c3bdd99f722be5443caeb1eae16165b982de1d7a3e177928efae787ca5fe1',0);
INSERT INTO "entries" VALUES(24,22,23,1,'3397eabbffef5f5e66df3982e75f8402179411d1d5a3a97169f2f09b391c4697',0);
INSERT INTO "entries" VALUES(25,23,24,1,'a326ccc8a7639e909f7cf05cdb60e7ebee8e02f46e7dbf3398b897749577e477',0);
INSERT INTO "entries" VALUES(26,24,25,1,'0c485e2a265635939b368ab24af082225121cf0517e315525c0a9719dceb74fc',0);
INSERT INTO "entries" VALUES(27,25,26,1,'d50e3165ef6b4092c3fd102ab891a00def2acd558e61cc6a60f111199c0c7f1d',0);
INSERT INTO "entries" VALUES(28,26,27,1,'36b2529c16c698778498f071c6720cbeb7f84b943b4e39637aaf821ed7f6212f',0);
INSERT INTO "entries" VALUES(29,27,28,1,'1920f409f09bb59803a31913e9a8ac016335a2968045ed66863f5a90aaef61bd',0);
INSERT INTO "entries" VALUES(30,28,29,1,'9303c2af6686f0f3ebc0ce4c19cd86b7351c800207e53cae190e05582829f235',0);
INSERT INTO "entries" VALUES(31,29,30,1,'f247d399df60707608834670813c96c4c9349a6af8696039bec35b8c27abf10a',0);
INSERT INTO "entries" VALUES(32,30,31,1,'a14666e0f0775cfa047c601f794bfa817643163c751131d93ba2ab76a2587541',0);
INSERT INTO "entries" VALUES(33,31,32,1,'86f1bcfe3be2eb0fb08e1725c3ad73c39b6c0cb4e0c006092a5fe1b00f7f6f9c',0);
INSERT INTO "entries" VALUES(34,32,33,1,'65e2f8176148ef4fc3af25cdfc083a7315677e47e566093d738bb3cc8ea6c413',0);
INSERT INTO "entries" VALUES(35,33,34,1,'e1182833b5a8c934d60e0cb1620f720a8220d6a3904bdbe3ebdd6e94839ffd84',0);
INSERT INTO "entries" VALUES(36,34,35,1,'78f4f28c28219702cfc3a01c8020c996d05590bffb51b42b5fcd4da196d07e6d',0);
INSERT INTO "entries" VALUES(37,35,36,1,'88592009b4bd7734995a4891a5a6bce667c29939a2e73dd2cad4dd161e132688',0);
INSERT INTO "entries" VALUES(38,36,37,1,'76b146c80923272e74ad23668ded9c26e8da7fbf55877b55e7851fb78bf09fe5',0);
INSERT INTO "entries" VALUES(39,37,38,1,'5dd05720cefbe55206af01cd3ae0ad269f2d1b4b909f28aa66420c7ace03c5a7',0);
INSERT INTO "entries" VALUES(40,38,39,1,'d4a0378cdad5a8fa5266543a368d2c7fcc41eb777e04c0d147a33abd893c24ee',0);
INSERT INTO "entries" VALUES(41,39,40,1,'8767c4da06a8637931afa593b0ab089901dd7c861bf8c0f7164d43ecd7b1d44b',0);
INSERT INTO "entries" VALUES(42,40,41,1,'6ff5c0f4369c420eefb22ec9a3837999692c0093cc413735c2f599bbc217a8b7',0);
INSERT INTO "entries" VALUES(43,41,42,1,'01290de1146c440cfac94b44ffa9d76c7a2c692646794bd23e10211ffc13b2fc',0);
INSERT INTO "entries" VALUES(44,42,43,1,'39a7b980e0d1bca581f57920811e7e767a19ab949e3e93d8b788a603bdf5b7d6',0);
INSERT INTO "entries" VALUES(45,43,44,1,'95e727d7d0c14b84faba877a1723665dc036d8b602bcba12ac69a5efe0581d01',0);
INSERT INTO "entries" VALUES(46,44,45,1,'b1a0d8e79ca6e93bff4575e0751d626f17047c73a5c64df4912c98c328cc30c9',0);
INSERT INTO "entries" VALUES(47,45,46,1,'3fae9f9309c319d5b402561c1286f04b9775eaafa41a2434b00f6debcfee1902',0);
INSERT INTO "entries" VALUES(48,46,47,1,'952035cff31b3fb5c466e5b15d8cec3f979bcb29052c55e63457d440967c41e7',0);
INSERT INTO "entries" VALUES(49,47,48,1,'a6307bab105b46b28b4b4cd5f0ba88f88ebc5089be117f4221f734b28534baf6',0);
INSERT INTO "entries" VALUES(50,48,49,1,'5897dc7b44c6f077c51891181dfcfaa6054d88e299352f98813c402b400c3480',0);
INSERT INTO "entries" VALUES(51,49,50,1,'22f9174e0b613a61d7d2124db3dda96f7bb150bbcc8c17a3daab39e9ad42b405',0);
INSERT INTO "entries" VALUES(52,50,51,1,'73aa1b5071b18a64009926327b9ba6adf0653e843e843a1e788bb797fcbd3a6c',0);
INSERT INTO "entries" VALUES(53,51,52,1,'67e9396bb492d12e2372ad72c3870c3205b6be9c124101ec15cd0b53a26a3890',0);
INSERT INTO "entries" VALUES(54,52,53,1,'de4d45ed15f454721c53b81e01266e8d648976cd56d9298b50ce85a0567ad001',0);
INSERT INTO "entries" VALUES(55,53,54,1,'ba10e8e87f19473b9b2aa26c6f1339b2b0582124eb228afe979b96a5f72017f3',0);
INSERT INTO "entries" VALUES(56,54,55,1,'e3969a5a14cd716b8c119e74ed9fc5fdfa9e08d0e254fbd1f035cad6fbd8cb25',0);
INSERT INTO "entries" VALUES(57,55,56,1,'86e2535da84ad817f7df673cc0aef6286b46b712d4788a06f906c224beab5b19',0);
INSERT INTO "entries" VALUES(58,56,57,1,'f7e43a3bf88cda0bfab895aefd92aeab51b14106c0e6b883bed0d3788e8353d7',0);
INSERT INTO "entries" VALUES(59,57,58,1,'a6598fd6d454dfb0a39c6b4ce9f5b24640bf264b05f98c2d29a6d40a6c8e2dad',0);
INSERT INTO "entries" VALUES(60,58,59,1,'f98d371455ce87c70f07d4c79650f1724639b8ec6310e2db13b450d936b60037',0);
INSERT INTO "entries" VALUES(61,59,60,1,'b0025fca4abac5d11176712c99af746c325a4dd3aef599249e9415bf0b6fc3fe',0);
INSERT INTO "entries" VALUES(62,60,61,1,'6faa5d6e3d12a4a8210917352cc08039b165ad3cb77d45fcc8c54e6ba5645de2',0);
INSERT INTO "entries" VALUES(63,61,62,1,'c532717785c8c3dd2a427ad3c56ca582411b859c47f4eda0f5385f97b2bc0e93',0);
INSERT INTO "entries" VALUES(64,62,63,1,'521a6ecc30d24d818d3e61eeee7bda9830535ad1f39409a19f85113f93b1701a',0);
INSERT INTO "entries" VALUES(65,63,64,1,'33b206df4f8a7f6e4bc754edc3e83ddd640b9a38eff75f6ef20696115fbb58bf',0);
INSERT INTO "entries" VALUES(66,64,65,1,'0f90637e5b91054373c085c349fb507cbb0d7a2ea41704c5ba498f65b4c6ceb8',0);
INSERT INTO "entries" VALUES(67,65,66,1,'e967966ad029d3ce103031a5be20365148f132528bf7dd98a518ec4c8a297b8d',0);
INSERT INTO "entries" VALUES(68,66,67,1,'77042b0735ed1b33ab8f3839c07ed4dd02c423288c9caa19f5ec79624bcfff53',0);
INSERT INTO "entries" VALUES(69,67,68,1,'d1f40b98f277a4ab4eb1ec36ba93da953ec1d24e7e7d2a6791f4ec3247638eca',0);
INSERT INTO "entries" VALUES(70,68,69,1,'839b26599640b9a76c17d7c6246e655adbb989e7d656c19a83a49a516e10120e',0);
INSERT INTO "entries" VALUES(71,69,70,1,'ac1cfb55d6fd9fc9e3858f772c78c42505743a0407a9b6400e74b33db3a1cb77',0);
INSERT INTO "entries" VALUES(72,70,71,1,'229da807261cd433647304ffb01b57ea324e755440befd470c53084868994eb8',0);
INSERT INTO "entries" VALUES(73,71,72,1,'27be2692d7b3fe077efb71088269011500d52596a083128c6a0ae2c2b57a9c30',0);
CREATE TABLE environments (
	position INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	works BOOLEAN NOT NULL, 
	reason TEXT NOT NULL, 
	advice TEXT NOT NULL, 
	capabilities_json TEXT NOT NULL, 
	PRIMARY KEY (position)
);
INSERT INTO "environments" VALUES(0,'native','native',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(1,'user-mode Linux','uml',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(2,'box','runc',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(3,'slow','qemu',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(4,'bare','bubblewrap',1,'','','{"disk":true}');
INSERT INTO "environments" VALUES(5,'KVM','kvm',0,'there is no /dev/kvm','','{"disk":true}');
CREATE TABLE guests (
	position INTEGER NOT NULL, 
	guest TEXT NOT NULL, 
	environment TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	asked_json TEXT NOT NULL, 
	given_json TEXT NOT NULL, 
	provision_s FLOAT NOT NULL, 
	started_at TEXT NOT NULL, 
	PRIMARY KEY (position), 
	UNIQUE (guest)
);
INSERT INTO "guests" VALUES(1,'sim-0','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:00.000+00:00');
INSERT INTO "guests" VALUES(2,'sim-1','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:02.000+00:00');
INSERT INTO "guests" VALUES(3,'sim-2','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:04.000+00:00');
INSERT INTO "guests" VALUES(4,'sim-3','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:06.000+00:00');
INSERT INTO "guests" VALUES(5,'sim-4','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:08.000+00:00');
INSERT INTO "guests" VALUES(6,'sim-5','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:10.000+00:00');
INSERT INTO "guests" VALUES(7,'sim-6','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:12.000+00:00');
INSERT INTO "guests" VALUES(8,'sim-7','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:14.000+00:00');
INSERT INTO "guests" VALUES(9,'sim-8','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:16.000+00:00');
INSERT INTO "guests" VALUES(10,'sim-9','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:18.000+00:00');
INSERT INTO "guests" VALUES(11,'sim-10','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:20.000+00:00');
INSERT INTO "guests" VALUES(12,'sim-11','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:22.000+00:00');
INSERT INTO "guests" VALUES(13,'sim-12','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:24.000+00:00');
INSERT INTO "guests" VALUES(14,'sim-13','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:26.000+00:00');
INSERT INTO "guests" VALUES(15,'sim-14','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:28.000+00:00');
INSERT INTO "guests" VALUES(16,'sim-15','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:30.000+00:00');
INSERT INTO "guests" VALUES(17,'sim-16','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:32.000+00:00');
INSERT INTO "guests" VALUES(18,'sim-17','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:34.000+00:00');
INSERT INTO "guests" VALUES(19,'sim-18','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:36.000+00:00');
INSERT INTO "guests" VALUES(20,'sim-19','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:38.000+00:00');
INSERT INTO "guests" VALUES(21,'sim-20','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:40.000+00:00');
INSERT INTO "guests" VALUES(22,'sim-21','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:42.000+00:00');
INSERT INTO "guests" VALUES(23,'sim-22','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:44.000+00:00');
INSERT INTO "guests" VALUES(24,'sim-23','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:46.000+00:00');
INSERT INTO "guests" VALUES(25,'sim-24','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:48.000+00:00');
INSERT INTO "guests" VALUES(26,'sim-25','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:50.000+00:00');
INSERT INTO "guests" VALUES(27,'sim-26','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:52.000+00:00');
INSERT INTO "guests" VALUES(28,'sim-27','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:54.000+00:00');
INSERT INTO "guests" VALUES(29,'sim-28','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:56.000+00:00');
INSERT INTO "guests" VALUES(30,'sim-29','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:00:58.000+00:00');
INSERT INTO "guests" VALUES(31,'sim-30','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:00.000+00:00');
INSERT INTO "guests" VALUES(32,'sim-31','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:02.000+00:00');
INSERT INTO "guests" VALUES(33,'sim-32','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:04.000+00:00');
INSERT INTO "guests" VALUES(34,'sim-33','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:06.000+00:00');
INSERT INTO "guests" VALUES(35,'sim-34','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:08.000+00:00');
INSERT INTO "guests" VALUES(36,'sim-35','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:10.000+00:00');
INSERT INTO "guests" VALUES(37,'sim-36','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:12.000+00:00');
INSERT INTO "guests" VALUES(38,'sim-37','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:14.000+00:00');
INSERT INTO "guests" VALUES(39,'sim-38','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:16.000+00:00');
INSERT INTO "guests" VALUES(40,'sim-39','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:18.000+00:00');
INSERT INTO "guests" VALUES(41,'sim-40','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:20.000+00:00');
INSERT INTO "guests" VALUES(42,'sim-41','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:22.000+00:00');
INSERT INTO "guests" VALUES(43,'sim-42','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:24.000+00:00');
INSERT INTO "guests" VALUES(44,'sim-43','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:26.000+00:00');
INSERT INTO "guests" VALUES(45,'sim-44','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:28.000+00:00');
INSERT INTO "guests" VALUES(46,'sim-45','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:30.000+00:00');
INSERT INTO "guests" VALUES(47,'sim-46','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:32.000+00:00');
INSERT INTO "guests" VALUES(48,'sim-47','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:34.000+00:00');
INSERT INTO "guests" VALUES(49,'sim-48','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:36.000+00:00');
INSERT INTO "guests" VALUES(50,'sim-49','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:38.000+00:00');
INSERT INTO "guests" VALUES(51,'sim-50','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:40.000+00:00');
INSERT INTO "guests" VALUES(52,'sim-51','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:42.000+00:00');
INSERT INTO "guests" VALUES(53,'sim-52','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:44.000+00:00');
INSERT INTO "guests" VALUES(54,'sim-53','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:46.000+00:00');
INSERT INTO "guests" VALUES(55,'sim-54','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:48.000+00:00');
INSERT INTO "guests" VALUES(56,'sim-55','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:50.000+00:00');
INSERT INTO "guests" VALUES(57,'sim-56','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:52.000+00:00');
INSERT INTO "guests" VALUES(58,'sim-57','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:54.000+00:00');
INSERT INTO "guests" VALUES(59,'sim-58','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:56.000+00:00');
INSERT INTO "guests" VALUES(60,'sim-59','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:01:58.000+00:00');
INSERT INTO "guests" VALUES(61,'sim-60','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:00.000+00:00');
INSERT INTO "guests" VALUES(62,'sim-61','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:02.000+00:00');
INSERT INTO "guests" VALUES(63,'sim-62','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:04.000+00:00');
INSERT INTO "guests" VALUES(64,'sim-63','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:06.000+00:00');
INSERT INTO "guests" VALUES(65,'sim-64','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:08.000+00:00');
INSERT INTO "guests" VALUES(66,'sim-65','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:10.000+00:00');
INSERT INTO "guests" VALUES(67,'sim-66','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:12.000+00:00');
INSERT INTO "guests" VALUES(68,'sim-67','user-mode Linux','uml','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:14.000+00:00');
INSERT INTO "guests" VALUES(69,'sim-68','slow','qemu','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:16.000+00:00');
INSERT INTO "guests" VALUES(70,'sim-69','bare','bubblewrap','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:18.000+00:00');
INSERT INTO "guests" VALUES(71,'sim-70','box','runc','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:20.000+00:00');
INSERT INTO "guests" VALUES(72,'sim-71','native','native','{}','{"bits":"64"}',0.05,'2026-01-02T03:02:22.000+00:00');
CREATE TABLE placements (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	environment TEXT NOT NULL, 
	workload TEXT NOT NULL, 
	role TEXT NOT NULL, 
	guest INTEGER NOT NULL, 
	peer INTEGER, instance INTEGER NOT NULL DEFAULT '1', 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
)
 WITHOUT ROWID

;
INSERT INTO "placements" VALUES(0,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(1,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(2,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(3,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(4,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(5,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(6,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(7,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(8,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(9,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(10,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(11,0,'native','context switch','measured',2,NULL,1);
INSERT INTO "placements" VALUES(12,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(13,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(14,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(15,0,'native','context switch','measured',2,NULL,1);
INSERT INTO "placements" VALUES(16,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(17,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(18,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(19,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(20,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(21,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(22,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(23,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(24,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(25,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(26,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(27,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(28,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(29,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(30,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(31,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(32,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(33,0,'native','context switch','measured',2,NULL,1);
INSERT INTO "placements" VALUES(34,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(35,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(36,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(37,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(38,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(39,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(40,0,'native','context switch','measured',2,NULL,1);
INSERT INTO "placements" VALUES(41,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(42,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(43,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(44,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(45,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(46,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(47,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(48,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(49,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(50,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(51,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(52,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(53,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(54,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(55,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(56,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(57,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(58,0,'native','context switch','measured',2,NULL,1);
INSERT INTO "placements" VALUES(59,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(60,0,'native','disk 4k random read','measured',2,NULL,1);
INSERT INTO "placements" VALUES(61,0,'native','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(62,0,'box','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(63,0,'bare','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(64,0,'native','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(65,0,'slow','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(66,0,'user-mode Linux','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(67,0,'user-mode Linux','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(68,0,'slow','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(69,0,'bare','context switch','measured',1,NULL,1);
INSERT INTO "placements" VALUES(70,0,'box','disk 4k random read','measured',1,NULL,1);
INSERT INTO "placements" VALUES(71,0,'native','context switch','measured',2,NULL,1);
CREATE TABLE planned (
	trial INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_group INTEGER NOT NULL, 
	turns INTEGER, scenario TEXT NOT NULL DEFAULT '', 
	PRIMARY KEY (trial)
);
INSERT INTO "planned" VALUES(0,0,0,0,NULL,'');
INSERT INTO "planned" VALUES(1,0,1,1,NULL,'');
INSERT INTO "planned" VALUES(2,0,2,2,NULL,'');
INSERT INTO "planned" VALUES(3,0,3,3,NULL,'');
INSERT INTO "planned" VALUES(4,0,4,4,NULL,'');
INSERT INTO "planned" VALUES(5,0,5,5,NULL,'');
INSERT INTO "planned" VALUES(6,0,6,6,NULL,'');
INSERT INTO "planned" VALUES(7,0,7,7,NULL,'');
INSERT INTO "planned" VALUES(8,0,8,8,NULL,'');
INSERT INTO "planned" VALUES(9,0,9,9,NULL,'');
INSERT INTO "planned" VALUES(10,0,10,10,NULL,'');
INSERT INTO "planned" VALUES(11,0,11,11,NULL,'');
INSERT INTO "planned" VALUES(12,1,0,12,NULL,'');
INSERT INTO "planned" VALUES(13,1,1,13,NULL,'');
INSERT INTO "planned" VALUES(14,1,2,14,NULL,'');
INSERT INTO "planned" VALUES(15,1,3,15,NULL,'');
INSERT INTO "planned" VALUES(16,1,4,16,NULL,'');
INSERT INTO "planned" VALUES(17,1,5,17,NULL,'');
INSERT INTO "planned" VALUES(18,1,6,18,NULL,'');
INSERT INTO "planned" VALUES(19,1,7,19,NULL,'');
INSERT INTO "planned" VALUES(20,1,8,20,NULL,'');
INSERT INTO "planned" VALUES(21,1,9,21,NULL,'');
INSERT INTO "planned" VALUES(22,1,10,22,NULL,'');
INSERT INTO "planned" VALUES(23,1,11,23,NULL,'');
INSERT INTO "planned" VALUES(24,2,0,24,NULL,'');
INSERT INTO "planned" VALUES(25,2,1,25,NULL,'');
INSERT INTO "planned" VALUES(26,2,2,26,NULL,'');
INSERT INTO "planned" VALUES(27,2,3,27,NULL,'');
INSERT INTO "planned" VALUES(28,2,4,28,NULL,'');
INSERT INTO "planned" VALUES(29,2,5,29,NULL,'');
INSERT INTO "planned" VALUES(30,2,6,30,NULL,'');
INSERT INTO "planned" VALUES(31,2,7,31,NULL,'');
INSERT INTO "planned" VALUES(32,2,8,32,NULL,'');
INSERT INTO "planned" VALUES(33,2,9,33,NULL,'');
INSERT INTO "planned" VALUES(34,2,10,34,NULL,'');
INSERT INTO "planned" VALUES(35,2,11,35,NULL,'');
INSERT INTO "planned" VALUES(36,3,0,36,NULL,'');
INSERT INTO "planned" VALUES(37,3,1,37,NULL,'');
INSERT INTO "planned" VALUES(38,3,2,38,NULL,'');
INSERT INTO "planned" VALUES(39,3,3,39,NULL,'');
INSERT INTO "planned" VALUES(40,3,4,40,NULL,'');
INSERT INTO "planned" VALUES(41,3,5,41,NULL,'');
INSERT INTO "planned" VALUES(42,3,6,42,NULL,'');
INSERT INTO "planned" VALUES(43,3,7,43,NULL,'');
INSERT INTO "planned" VALUES(44,3,8,44,NULL,'');
INSERT INTO "planned" VALUES(45,3,9,45,NULL,'');
INSERT INTO "planned" VALUES(46,3,10,46,NULL,'');
INSERT INTO "planned" VALUES(47,3,11,47,NULL,'');
INSERT INTO "planned" VALUES(48,4,0,48,NULL,'');
INSERT INTO "planned" VALUES(49,4,1,49,NULL,'');
INSERT INTO "planned" VALUES(50,4,2,50,NULL,'');
INSERT INTO "planned" VALUES(51,4,3,51,NULL,'');
INSERT INTO "planned" VALUES(52,4,4,52,NULL,'');
INSERT INTO "planned" VALUES(53,4,5,53,NULL,'');
INSERT INTO "planned" VALUES(54,4,6,54,NULL,'');
INSERT INTO "planned" VALUES(55,4,7,55,NULL,'');
INSERT INTO "planned" VALUES(56,4,8,56,NULL,'');
INSERT INTO "planned" VALUES(57,4,9,57,NULL,'');
INSERT INTO "planned" VALUES(58,4,10,58,NULL,'');
INSERT INTO "planned" VALUES(59,4,11,59,NULL,'');
INSERT INTO "planned" VALUES(60,5,0,60,NULL,'');
INSERT INTO "planned" VALUES(61,5,1,61,NULL,'');
INSERT INTO "planned" VALUES(62,5,2,62,NULL,'');
INSERT INTO "planned" VALUES(63,5,3,63,NULL,'');
INSERT INTO "planned" VALUES(64,5,4,64,NULL,'');
INSERT INTO "planned" VALUES(65,5,5,65,NULL,'');
INSERT INTO "planned" VALUES(66,5,6,66,NULL,'');
INSERT INTO "planned" VALUES(67,5,7,67,NULL,'');
INSERT INTO "planned" VALUES(68,5,8,68,NULL,'');
INSERT INTO "planned" VALUES(69,5,9,69,NULL,'');
INSERT INTO "planned" VALUES(70,5,10,70,NULL,'');
INSERT INTO "planned" VALUES(71,5,11,71,NULL,'');
CREATE TABLE probes (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	sent_host_ns INTEGER NOT NULL, 
	received_guest_ns INTEGER NOT NULL, 
	sent_guest_ns INTEGER NOT NULL, 
	received_host_ns INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "probes" VALUES(1,0,0,0,5,6,10,'during');
INSERT INTO "probes" VALUES(1,0,1,1000000000,1000000005,1000000006,1000000010,'during');
INSERT INTO "probes" VALUES(7,0,0,0,5,6,10,'during');
INSERT INTO "probes" VALUES(7,0,1,1000000000,1000000005,1000000006,1000000010,'during');
CREATE TABLE runs (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	guest TEXT NOT NULL, 
	kernel TEXT NOT NULL, 
	op TEXT NOT NULL, 
	parameters_json TEXT NOT NULL, 
	threads INTEGER NOT NULL, 
	unit TEXT NOT NULL, 
	better TEXT NOT NULL, 
	conditions_json TEXT NOT NULL, 
	agent_value FLOAT, 
	agent_cpu_s FLOAT, 
	check_json TEXT, 
	measures_json TEXT, 
	histograms_json TEXT, 
	output TEXT, 
	value FLOAT, 
	work INTEGER, 
	guest_cpu_s FLOAT, 
	window_start_host_ns INTEGER, 
	window_end_host_ns INTEGER, 
	clock_reference_guest_ns INTEGER, 
	clock_reference_host_ns INTEGER, 
	clock_rate FLOAT, 
	clock_bound_ns FLOAT, 
	clock_rate_bound FLOAT, 
	clock_probes INTEGER, 
	fault TEXT, 
	fault_size_s FLOAT, 
	fault_at_s FLOAT, 
	fault_bound FLOAT, guest_use_json TEXT, 
	PRIMARY KEY (trial, placement), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement), 
	FOREIGN KEY(trial) REFERENCES trials (trial), 
	FOREIGN KEY(guest) REFERENCES guests (guest)
)
 WITHOUT ROWID

;
INSERT INTO "runs" VALUES(0,0,'sim-0','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.03743843931704268475e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.03743843931704268475e+04,10317,1.0317,0,1000000000,5000000000,0,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(1,0,'sim-1','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',4.03937994859518084917e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'stepped',-3.0,0.25,NULL,NULL);
INSERT INTO "runs" VALUES(2,0,'sim-2','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.81562724144737512674e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.81562724144737512674e+03,9848,0.9848,4000000000,5000000000,5000000000,4000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(3,0,'sim-3','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.7347387474930055758e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.7347387474930055758e+03,9621,0.9621,6000000000,7000000000,5000000000,6000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(4,0,'sim-4','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.41088645059766364282e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.41088645059766364282e+05,2,700000.0,8000000000,9000000000,5000000000,8000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(7,0,'sim-7','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',8.53098449760109768264e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'stepped',-3.0,0.25,NULL,NULL);
INSERT INTO "runs" VALUES(8,0,'sim-8','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.79328304987535775577e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.79328304987535775577e+04,17662,3.5324,16000000000,17000000000,5000000000,16000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(9,0,'sim-9','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.46198671280081558517e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.46198671280081558517e+05,2,700000.0,18000000000,19000000000,5000000000,18000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(10,0,'sim-10','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.46671653674300527209e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.46671653674300527209e+05,2,700000.0,20000000000,21000000000,5000000000,20000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(11,0,'sim-11','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.57505635966544796236e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.57505635966544796236e+05,2,700000.0,22000000000,23000000000,5000000000,22000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(12,0,'sim-12','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.79226247332540515339e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.79226247332540515339e+03,9840,0.984,24000000000,25000000000,5000000000,24000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(13,0,'sim-13','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.91965771308324561691e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.91965771308324561691e+05,2,1400000.0,26000000000,27000000000,5000000000,26000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(14,0,'sim-14','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',3.9051983782036072625e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.9051983782036072625e+03,3918,NULL,28000000000,29000000000,5000000000,28000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(15,0,'sim-15','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.48681016694156802266e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.48681016694156802266e+05,2,700000.0,30000000000,31000000000,5000000000,30000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(16,0,'sim-16','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.54702037374477367856e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.54702037374477367856e+05,2,700000.0,32000000000,33000000000,5000000000,32000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(18,0,'sim-18','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.00407103645492607032e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.00407103645492607032e+04,10024,1.0024,36000000000,37000000000,5000000000,36000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(19,0,'sim-19','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',854468.805547231,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,854468.805547231,2,NULL,38000000000,39000000000,5000000000,38000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(20,0,'sim-20','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.83264804919388734566e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.83264804919388734566e+04,18312,3.6624,40000000000,41000000000,5000000000,40000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(21,0,'sim-21','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.84232777585272742768e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.84232777585272742768e+03,9777,0.9777,42000000000,43000000000,5000000000,42000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(22,0,'sim-22','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.43339387649694166614e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.43339387649694166614e+05,2,700000.0,44000000000,45000000000,5000000000,44000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(23,0,'sim-23','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.54859250181413895912e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.54859250181413895912e+05,2,700000.0,46000000000,47000000000,5000000000,46000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(24,0,'sim-24','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.76033709513872454405e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.76033709513872454405e+04,17564,3.5128,48000000000,49000000000,5000000000,48000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(25,0,'sim-25','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',4.09438661223591589093e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,4.09438661223591589093e+03,4108,NULL,50000000000,51000000000,5000000000,50000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(26,0,'sim-26','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.547100782943033846e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.547100782943033846e+05,2,700000.0,52000000000,53000000000,5000000000,52000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(27,0,'sim-27','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.94423447286718350376e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.94423447286718350376e+05,2,1400000.0,54000000000,55000000000,5000000000,54000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(28,0,'sim-28','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.00695769404053262407e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.00695769404053262407e+04,9884,0.9884,56000000000,57000000000,5000000000,56000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(30,0,'sim-30','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',8.69687845338342827711e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.69687845338342827711e+05,2,NULL,60000000000,61000000000,5000000000,60000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(31,0,'sim-31','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.66071359977640619037e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.66071359977640619037e+05,2,700000.0,62000000000,63000000000,5000000000,62000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(32,0,'sim-32','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',347961.173292563,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,347961.173292563,2,700000.0,64000000000,65000000000,5000000000,64000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(33,0,'sim-33','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.48561452128108066974e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.48561452128108066974e+05,2,700000.0,66000000000,67000000000,5000000000,66000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(34,0,'sim-34','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.89334102614172661554e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.89334102614172661554e+03,9891,0.9891,68000000000,69000000000,5000000000,68000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(35,0,'sim-35','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.79131139968931529446e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.79131139968931529446e+03,9762,0.9762,70000000000,71000000000,5000000000,70000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(36,0,'sim-36','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.58322095582311158073e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.58322095582311158073e+03,9541,0.9541,72000000000,73000000000,5000000000,72000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(37,0,'sim-37','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.51819265581025916625e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.51819265581025916625e+05,2,700000.0,74000000000,75000000000,5000000000,74000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(38,0,'sim-38','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.50917859877031180072e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.50917859877031180072e+05,2,700000.0,76000000000,77000000000,5000000000,76000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(39,0,'sim-39','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.02925387147205165089e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.02925387147205165089e+04,10275,1.0275,78000000000,79000000000,5000000000,78000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(40,0,'sim-40','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.48882718354302574889e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.48882718354302574889e+05,2,700000.0,80000000000,81000000000,5000000000,80000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(41,0,'sim-41','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',8.65550783063674694824e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.65550783063674694824e+05,2,NULL,82000000000,83000000000,5000000000,82000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(42,0,'sim-42','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.4564481186623492977e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.4564481186623492977e+05,2,700000.0,84000000000,85000000000,5000000000,84000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(43,0,'sim-43','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.79446138606382628493e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.79446138606382628493e+04,18033,3.6066,86000000000,87000000000,5000000000,86000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(45,0,'sim-45','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.96070003029799408943e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.96070003029799408943e+03,9917,0.9917,90000000000,91000000000,5000000000,90000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(46,0,'sim-46','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',4000.63677861529,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,4000.63677861529,3987,NULL,92000000000,93000000000,5000000000,92000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(47,0,'sim-47','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.89156553181140479873e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.89156553181140479873e+05,2,1400000.0,94000000000,95000000000,5000000000,94000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(48,0,'sim-48','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.87438511403492520917e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.87438511403492520917e+03,9825,0.9825,96000000000,97000000000,5000000000,96000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(49,0,'sim-49','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.99531231535188271694e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.99531231535188271694e+03,9961,0.9961,98000000000,99000000000,5000000000,98000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(50,0,'sim-50','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.96221117300666956003e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.96221117300666956003e+05,2,1400000.0,100000000000,101000000000,5000000000,100000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(51,0,'sim-51','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',3912.3145104637,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3912.3145104637,3915,NULL,102000000000,103000000000,5000000000,102000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(52,0,'sim-52','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.46468207229433231984e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.46468207229433231984e+05,2,700000.0,104000000000,105000000000,5000000000,104000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(53,0,'sim-53','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.46925566241435357362e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.46925566241435357362e+05,2,700000.0,106000000000,107000000000,5000000000,106000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(54,0,'sim-54','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.78916550497678508691e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.78916550497678508691e+04,17880,3.576,108000000000,109000000000,5000000000,108000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(55,0,'sim-55','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',8.95833036807931726817e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.95833036807931726817e+05,2,NULL,110000000000,111000000000,5000000000,110000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(56,0,'sim-56','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',9.98679775250605598554e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,9.98679775250605598554e+03,9966,0.9966,112000000000,113000000000,5000000000,112000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(58,0,'sim-58','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.56830934638592123524e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.56830934638592123524e+05,2,700000.0,116000000000,117000000000,5000000000,116000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(59,0,'sim-59','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.51993139273546636102e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.51993139273546636102e+05,2,700000.0,118000000000,119000000000,5000000000,118000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(60,0,'sim-60','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.03013401916105103736e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.03013401916105103736e+04,10156,1.0156,120000000000,121000000000,5000000000,120000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(61,0,'sim-61','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.01647197252827718326e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.01647197252827718326e+04,10113,1.0113,122000000000,123000000000,5000000000,122000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(62,0,'sim-62','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.52403692857138696134e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.52403692857138696134e+05,2,700000.0,124000000000,125000000000,5000000000,124000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(64,0,'sim-64','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.51819807807627425071e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.51819807807627425071e+05,2,700000.0,128000000000,129000000000,5000000000,128000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(65,0,'sim-65','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',8.75674618295153253753e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,8.75674618295153253753e+05,2,NULL,130000000000,131000000000,5000000000,130000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(66,0,'sim-66','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.79401041285096689531e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.79401041285096689531e+04,17707,3.5414,132000000000,133000000000,5000000000,132000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(67,0,'sim-67','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',1.96420959961800457678e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.96420959961800457678e+05,2,1400000.0,134000000000,135000000000,5000000000,134000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(68,0,'sim-68','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',3.92163422983365671826e+03,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.92163422983365671826e+03,3889,NULL,136000000000,137000000000,5000000000,136000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(69,0,'sim-69','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.43848212457939807792e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.43848212457939807792e+05,2,700000.0,138000000000,139000000000,5000000000,138000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(70,0,'sim-70','disk','random-read','{"size":67108864}',1,'IO/s','higher','{"simd":"avx2"}',1.01721821014224151442e+04,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,1.01721821014224151442e+04,10293,1.0293,140000000000,141000000000,5000000000,140000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(71,0,'sim-71','os','context-switch','{"size":67108864}',1,'s','lower','{"simd":"avx2"}',3.40385014855343091756e+05,0.98,'{"kind":"checksum","value":"ok","passed":true}','{}','{}',NULL,3.40385014855343091756e+05,2,700000.0,142000000000,143000000000,5000000000,142000000000,1.0001,20000.0,1.0e-06,32,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE samples (
	trial INTEGER NOT NULL, 
	placement INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start_ns INTEGER NOT NULL, 
	end_ns INTEGER NOT NULL, 
	work INTEGER NOT NULL, 
	check_value TEXT NOT NULL, 
	set_aside TEXT, 
	mark TEXT NOT NULL, 
	slice INTEGER, 
	PRIMARY KEY (trial, placement, position), 
	FOREIGN KEY(trial, placement) REFERENCES placements (trial, placement)
)
 WITHOUT ROWID

;
INSERT INTO "samples" VALUES(0,0,0,5000000000,5500000000,5162,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(0,0,1,5500000000,6000000000,5155,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(1,0,0,5000000000,5500000000,2027,'ok','failed-trial','its clock stepped',NULL);
INSERT INTO "samples" VALUES(1,0,1,5500000000,6000000000,2022,'ok','failed-trial','its clock stepped',NULL);
INSERT INTO "samples" VALUES(2,0,0,5000000000,5500000000,4906,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(2,0,1,5500000000,6000000000,4942,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(3,0,0,5000000000,5500000000,4845,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(3,0,1,5500000000,6000000000,4776,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(4,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(4,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(7,0,0,5000000000,5500000000,1,'ok','failed-trial','its clock stepped',NULL);
INSERT INTO "samples" VALUES(7,0,1,5500000000,6000000000,1,'ok','failed-trial','its clock stepped',NULL);
INSERT INTO "samples" VALUES(8,0,0,5000000000,5500000000,8744,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(8,0,1,5500000000,6000000000,8918,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(9,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(9,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(10,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(10,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(11,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(11,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(12,0,0,5000000000,5500000000,4938,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(12,0,1,5500000000,6000000000,4902,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(13,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(13,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(14,0,0,5000000000,5500000000,1954,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(14,0,1,5500000000,6000000000,1964,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(15,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(15,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(16,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(16,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(18,0,0,5000000000,5500000000,4997,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(18,0,1,5500000000,6000000000,5027,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(19,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(19,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(20,0,0,5000000000,5500000000,9269,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(20,0,1,5500000000,6000000000,9043,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(21,0,0,5000000000,5500000000,4953,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(21,0,1,5500000000,6000000000,4824,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(22,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(22,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(23,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(23,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(24,0,0,5000000000,5500000000,8801,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(24,0,1,5500000000,6000000000,8763,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(25,0,0,5000000000,5500000000,2061,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(25,0,1,5500000000,6000000000,2047,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(26,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(26,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(27,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(27,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(28,0,0,5000000000,5500000000,4951,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(28,0,1,5500000000,6000000000,4933,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(30,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(30,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(31,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(31,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(32,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(32,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(33,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(33,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(34,0,0,5000000000,5500000000,4943,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(34,0,1,5500000000,6000000000,4948,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(35,0,0,5000000000,5500000000,4908,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(35,0,1,5500000000,6000000000,4854,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(36,0,0,5000000000,5500000000,4832,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(36,0,1,5500000000,6000000000,4709,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(37,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(37,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(38,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(38,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(39,0,0,5000000000,5500000000,5143,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(39,0,1,5500000000,6000000000,5132,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(40,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(40,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(41,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(41,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(42,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(42,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(43,0,0,5000000000,5500000000,9059,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(43,0,1,5500000000,6000000000,8974,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(45,0,0,5000000000,5500000000,4964,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(45,0,1,5500000000,6000000000,4953,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(46,0,0,5000000000,5500000000,1993,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(46,0,1,5500000000,6000000000,1994,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(47,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(47,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(48,0,0,5000000000,5500000000,4851,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(48,0,1,5500000000,6000000000,4974,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(49,0,0,5000000000,5500000000,5001,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(49,0,1,5500000000,6000000000,4960,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(50,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(50,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(51,0,0,5000000000,5500000000,1933,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(51,0,1,5500000000,6000000000,1982,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(52,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(52,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(53,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(53,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(54,0,0,5000000000,5500000000,8932,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(54,0,1,5500000000,6000000000,8948,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(55,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(55,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(56,0,0,5000000000,5500000000,4925,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(56,0,1,5500000000,6000000000,5041,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(58,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(58,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(59,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(59,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(60,0,0,5000000000,5500000000,5092,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(60,0,1,5500000000,6000000000,5064,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(61,0,0,5000000000,5500000000,5031,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(61,0,1,5500000000,6000000000,5082,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(62,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(62,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(64,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(64,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(65,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(65,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(66,0,0,5000000000,5500000000,8883,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(66,0,1,5500000000,6000000000,8824,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(67,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(67,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(68,0,0,5000000000,5500000000,1948,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(68,0,1,5500000000,6000000000,1941,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(69,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(69,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(70,0,0,5000000000,5500000000,5103,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(70,0,1,5500000000,6000000000,5190,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(71,0,0,5000000000,5500000000,1,'ok',NULL,'',NULL);
INSERT INTO "samples" VALUES(71,0,1,5500000000,6000000000,1,'ok',NULL,'',NULL);
CREATE TABLE stages (
	position INTEGER NOT NULL, 
	decided_at TEXT NOT NULL, 
	first_trial INTEGER NOT NULL, 
	trials INTEGER NOT NULL, 
	blocks_json TEXT NOT NULL, 
	beyond_json TEXT NOT NULL, 
	bounded_by TEXT NOT NULL, follow_up_json TEXT, 
	PRIMARY KEY (position)
);
CREATE TABLE superseded (
	entry INTEGER NOT NULL, 
	rows_json TEXT NOT NULL, 
	PRIMARY KEY (entry), 
	FOREIGN KEY(entry) REFERENCES entries (entry)
);
CREATE TABLE trials (
	trial INTEGER NOT NULL, 
	status TEXT NOT NULL CHECK (status IN ('done', 'failed')), 
	reason TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	wall_s FLOAT NOT NULL, 
	start_skew_ns INTEGER NOT NULL, 
	host_json TEXT, 
	marks_json TEXT NOT NULL, 
	failure TEXT, 
	failure_placement INTEGER, 
	PRIMARY KEY (trial), 
	CHECK (status = 'done' OR reason <> ''), 
	FOREIGN KEY(trial) REFERENCES planned (trial)
);
INSERT INTO "trials" VALUES(0,'done','','2026-01-02T03:00:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(1,'failed','its clock stepped','2026-01-02T03:00:02.000+00:00',1.25,0,NULL,'[]','clock',0);
INSERT INTO "trials" VALUES(2,'done','','2026-01-02T03:00:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(3,'done','','2026-01-02T03:00:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(4,'done','','2026-01-02T03:00:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(5,'failed','the guest ended','2026-01-02T03:00:10.000+00:00',0.4,0,NULL,'[]','guest',0);
INSERT INTO "trials" VALUES(6,'failed','this environment has no disk','2026-01-02T03:00:12.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(7,'failed','its clock stepped','2026-01-02T03:00:14.000+00:00',1.25,0,NULL,'[]','clock',0);
INSERT INTO "trials" VALUES(8,'done','','2026-01-02T03:00:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(9,'done','','2026-01-02T03:00:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(10,'done','','2026-01-02T03:00:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(11,'done','','2026-01-02T03:00:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(12,'done','','2026-01-02T03:00:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(13,'done','','2026-01-02T03:00:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(14,'done','','2026-01-02T03:00:28.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(15,'done','','2026-01-02T03:00:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(16,'done','','2026-01-02T03:00:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(17,'failed','this environment has no disk','2026-01-02T03:00:34.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(18,'done','','2026-01-02T03:00:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(19,'done','','2026-01-02T03:00:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(20,'done','','2026-01-02T03:00:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(21,'done','','2026-01-02T03:00:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(22,'done','','2026-01-02T03:00:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(23,'done','','2026-01-02T03:00:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(24,'done','','2026-01-02T03:00:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(25,'done','','2026-01-02T03:00:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(26,'done','','2026-01-02T03:00:52.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(27,'done','','2026-01-02T03:00:54.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(28,'done','','2026-01-02T03:00:56.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(29,'failed','this environment has no disk','2026-01-02T03:00:58.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(30,'done','','2026-01-02T03:01:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(31,'done','','2026-01-02T03:01:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(32,'done','','2026-01-02T03:01:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(33,'done','','2026-01-02T03:01:06.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(34,'done','','2026-01-02T03:01:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(35,'done','','2026-01-02T03:01:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(36,'done','','2026-01-02T03:01:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(37,'done','','2026-01-02T03:01:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(38,'done','','2026-01-02T03:01:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(39,'done','','2026-01-02T03:01:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(40,'done','','2026-01-02T03:01:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(41,'done','','2026-01-02T03:01:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(42,'done','','2026-01-02T03:01:24.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(43,'done','','2026-01-02T03:01:26.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(44,'failed','this environment has no disk','2026-01-02T03:01:28.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(45,'done','','2026-01-02T03:01:30.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(46,'done','','2026-01-02T03:01:32.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(47,'done','','2026-01-02T03:01:34.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(48,'done','','2026-01-02T03:01:36.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(49,'done','','2026-01-02T03:01:38.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(50,'done','','2026-01-02T03:01:40.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(51,'done','','2026-01-02T03:01:42.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(52,'done','','2026-01-02T03:01:44.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(53,'done','','2026-01-02T03:01:46.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(54,'done','','2026-01-02T03:01:48.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(55,'done','','2026-01-02T03:01:50.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(56,'done','','2026-01-02T03:01:52.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(57,'failed','this environment has no disk','2026-01-02T03:01:54.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(58,'done','','2026-01-02T03:01:56.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(59,'done','','2026-01-02T03:01:58.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(60,'done','','2026-01-02T03:02:00.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(61,'done','','2026-01-02T03:02:02.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(62,'done','','2026-01-02T03:02:04.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(63,'failed','this environment has no disk','2026-01-02T03:02:06.000+00:00',0.4,0,NULL,'[]','unavailable',0);
INSERT INTO "trials" VALUES(64,'done','','2026-01-02T03:02:08.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(65,'done','','2026-01-02T03:02:10.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(66,'done','','2026-01-02T03:02:12.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(67,'done','','2026-01-02T03:02:14.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(68,'done','','2026-01-02T03:02:16.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(69,'done','','2026-01-02T03:02:18.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(70,'done','','2026-01-02T03:02:20.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
INSERT INTO "trials" VALUES(71,'done','','2026-01-02T03:02:22.000+00:00',1.25,1000,'{"wall_s":1.0,"user":0.9,"nice":0.0,"system":0.1,"idle":1.0,"iowait":0.0,"irq":0.0,"softirq":0.0,"steal":0.0,"foreign":null,"run_delay":null,"pressure":null,"frequency_mhz":null,"temperature_c":null}','[]',NULL,NULL);
COMMIT;
