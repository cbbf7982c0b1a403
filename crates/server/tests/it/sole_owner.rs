//! One folder, one server (O20).

use server::boot::Boot;
use server::config::LogFormat;
use server::exit::Exit;
use server::serve::{Parts, start};
use store::KdfPolicy;

use crate::world::{World, config};

#[tokio::test(flavor = "multi_thread")]
async fn the_second_server_on_a_folder_ends_with_75() {
    let world = World::empty([]).await;
    let tries = if std::env::var_os("RIAD_SLOW").is_some() { 100 } else { 10 };
    for _ in 0..tries {
        let parts = Parts { config: config(&world.data()), listener: None, policy: KdfPolicy::CHEAPEST, model: None };
        let mut lines = Vec::new();
        let Err(ended) = start(parts, &mut Boot::new(&mut lines, LogFormat::Text)).await else {
            panic!("a second server started");
        };
        assert_eq!(ended.exit, Exit::Busy);
        assert!(ended.says.contains("Another server"), "{}", ended.says);
    }
    assert_eq!(world.client().get("/readyz").await.unwrap().status, 200);
}
