//! A document loaded and saved by docx-rs, which has no way to find a paragraph again: prints milliseconds, the median of some rounds.

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut spent: Vec<f64> = (0..5)
        .map(|_| {
            let start = std::time::Instant::now();
            let document = docx_rs::read_docx(&std::fs::read(&arguments[1]).unwrap()).unwrap();
            let file = std::fs::File::create(&arguments[2]).unwrap();
            document.build().pack(file).unwrap();
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    spent.sort_by(f64::total_cmp);
    println!("{}", spent[2]);
}
